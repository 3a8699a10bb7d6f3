import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { whenAborted } from "../../src/cluster/runtime/clock.ts";
import { LabCluster, namespace, phase } from "./lab-cluster.ts";

let cluster: LabCluster;
const node = "n";
const attune = (...args: string[]) => ({ containers: [{ name: "main", image: "x", command: ["attune"], args }] });

beforeAll(async () => {
  cluster = await LabCluster.start();
  cluster.kubelets([node], {
    program: async ({ write, signal }) => {
      for (const line of ["one", "two", "three"]) write(line);
      await whenAborted(signal);
      write("last");
      return 0;
    },
  });
  await cluster.createPod({ name: "talk", node, ...attune("talk") });
  await cluster.podThat("talk", phase("Running"));
});
afterAll(async () => cluster?.close());

async function open(path: string): Promise<IncomingMessage> {
  const { url, authority } = cluster.server;
  const headers = { authorization: `Bearer ${authority.adminToken}` };
  const [response] = (await once(get(`${url}${path}`, { ca: authority.caPem, headers, agent: false }), "response")) as [
    IncomingMessage,
  ];
  return response.setEncoding("utf8");
}

async function read(path: string): Promise<string> {
  let text = "";
  for await (const piece of await open(path)) text += String(piece);
  return text;
}

const log = (query = ""): string => `/api/v1/namespaces/${namespace}/pods/talk/log${query}`;

test("a log is read through the API server, whole and in parts", async () => {
  expect(await read(log())).toBe("one\ntwo\nthree\n");
  expect(await read(log("?tailLines=1&container=main"))).toBe("three\n");
  expect(await read(log("?limitBytes=5"))).toBe("one\nt");
});

test("a log is followed through the API server until the container ends", async () => {
  const response = await open(log("?follow=true&tailLines=1"));
  const [first] = (await once(response, "data")) as [string];
  expect(first).toBe("three\n");
  const rest = once(response, "data");
  await cluster.admin.delete({ apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true }, "talk", {
    namespace,
  });
  expect((await rest)[0]).toBe("last\n");
  response.destroy();
});

test("other kubelet endpoints are reached through nodes/proxy", async () => {
  expect(await read(`/api/v1/nodes/${node}/proxy/healthz`)).toBe("ok");
});
