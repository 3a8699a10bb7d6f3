import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { ProgramRun } from "../../src/embedded/lab/kubelet/container/program.ts";
import { whenAborted } from "../../src/cluster/runtime/clock.ts";
import { LabCluster, namespace, phase } from "./lab-cluster.ts";

let cluster: LabCluster;
const node = "n";
/** The programs by their first argument. */
const programs = new Map<string, (run: ProgramRun) => Promise<number>>([
  ["hello", async ({ write, args }) => (write(args.slice(1).join(" ")), 0)],
  ["throw", async () => Promise.reject(new Error("it went wrong"))],
  ["wait", async ({ signal, write }) => (write("waiting"), await whenAborted(signal), write("stopping"), 5)],
  ["deaf", async () => new Promise(() => {})],
]);
const runs: ProgramRun[] = [];
const startedFor = (word: string): Promise<ProgramRun> =>
  cluster.eventually(async () => runs.findLast(({ args }) => args[0] === word));

beforeAll(async () => {
  cluster = await LabCluster.start();
  cluster.kubelets([node], {
    program: (run) => {
      runs.push(run);
      const program = programs.get(run.args[0] ?? "");
      if (!program) throw new Error(`no program ${run.args[0]}`);
      return program(run);
    },
  });
});
afterAll(async () => cluster?.close());

const attune = (...args: string[]) => ({ containers: [{ name: "main", image: "x", command: ["attune"], args }] });

interface Answer {
  code: number;
  text: string;
}

/** As the API server does: with a client certificate, at the address in the Node's status. */
async function logs(
  path: string,
  auth: { token?: string; certified?: boolean } = { certified: true },
): Promise<Answer> {
  const { status } = await cluster.admin.get(kinds.node, node);
  const { authority } = cluster.server;
  const { certPem: cert, keyPem: key } = authority.issue({
    commonName: "kube-apiserver",
    organizations: ["system:masters"],
    purpose: "client",
  });
  return new Promise((resolve, reject) => {
    request(
      {
        host: "127.0.0.1",
        port: status?.daemonEndpoints?.kubeletEndpoint?.Port,
        path,
        rejectUnauthorized: false,
        agent: false,
        ...(auth.certified ? { cert, key } : {}),
        ...(auth.token ? { headers: { authorization: `Bearer ${auth.token}` } } : {}),
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ code: response.statusCode ?? 0, text }));
      },
    )
      .on("error", reject)
      .end();
  });
}

const logOf = async (pod: string, query = ""): Promise<string> =>
  (await logs(`/containerLogs/${namespace}/${pod}/main${query}`)).text;

describe("a container with an attune command", () => {
  test("runs in this process with its arguments, environment, files and token", async () => {
    const data = { "a.conf": "x=1" };
    const metadata = { name: "settings", namespace };
    await cluster.admin.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    programs.set("look", async ({ signal }) => (await whenAborted(signal), 0));
    await cluster.createPod({
      name: "look",
      node,
      volumes: [
        { name: "host", hostPath: { path: "/" } },
        { name: "settings", configMap: { name: "settings" } },
      ],
      containers: [
        {
          name: "main",
          image: "x",
          command: ["/usr/bin/attune", "look", "--node=$(NODE_NAME)"],
          env: [
            { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            { name: "FROM", valueFrom: { configMapKeyRef: { name: "settings", key: "a.conf" } } },
            { name: "BOTH", value: "$(NODE_NAME) and $$(NODE_NAME) and $(NONE)" },
          ],
          volumeMounts: [
            { name: "host", mountPath: "/host" },
            { name: "settings", mountPath: "/etc/settings" },
          ],
        },
      ],
    });
    await cluster.podThat("look", phase("Running"));
    const { args, env, files, connection, host } = await startedFor("look");
    expect(args).toEqual(["look", "--node=n"]);
    expect(env).toMatchObject({ NODE_NAME: "n", FROM: "x=1", BOTH: "n and $(NODE_NAME) and $(NONE)" });
    expect(await files.read("/etc/settings/a.conf")).toEqual({ type: "text", text: "x=1" });
    expect(await files.list("/etc")).toEqual([]);
    expect(await files.list("/etc/settings")).toEqual(["a.conf"]);
    await host.write("/etc/on-node", "1");
    expect(await files.read("/host/etc/on-node")).toEqual({ type: "text", text: "1" });
    const client = new HttpClient(connection);
    const { status } = await cluster.admin.get(kinds.pod, "look", { namespace });
    expect(status?.phase).toBe("Running");
    await expect(client.list(kinds.node)).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining(`system:serviceaccount:${namespace}:default`) as string,
    });
    // After an hour the first token has expired; the client renews it.
    await cluster.clock.advance(3700_000);
    await expect(client.list(kinds.node)).rejects.toMatchObject({ code: 403 });
    await cluster.admin.delete(kinds.pod, "look", { namespace });
    await cluster.gone("look");
    await expect(client.list(kinds.node)).rejects.toThrow(/was killed|401|Unauthorized/);
    client.close();
  });

  test.each([
    ["hello", "hello", 0, "hi there\n"],
    ["one that throws", "throw", 1, "error: it went wrong\n"],
    ["one that is not known", "nosuch", 1, "error: no program nosuch\n"],
  ])("ends as it ends: %s", async (_, word, exitCode, text) => {
    await cluster.createPod({ name: word, node, restartPolicy: "Never", ...attune(word, "hi", "there") });
    const pod = await cluster.podThat(word, phase(exitCode === 0 ? "Succeeded" : "Failed"));
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode });
    expect(await logOf(word)).toBe(text);
  });

  test("gets SIGTERM and its grace period, and its pod is deleted once it has ended", async () => {
    await cluster.createPod({ name: "wait", node, ...attune("wait") });
    await cluster.podThat("wait", phase("Running"));
    const followed = logOf("wait", "?follow=true");
    await cluster.admin.delete(kinds.pod, "wait", { namespace });
    await cluster.gone("wait");
    expect(await followed).toBe("waiting\nstopping\n");
  });

  test("that ignores SIGTERM is killed after its grace period", async () => {
    await cluster.createPod({ name: "deaf", node, terminationGracePeriodSeconds: 20, ...attune("deaf") });
    await cluster.podThat("deaf", phase("Running"));
    const { signal, write, connection } = await startedFor("deaf");
    await cluster.admin.delete(kinds.pod, "deaf", { namespace });
    await cluster.eventually(async () => signal.aborted || undefined);
    await cluster.clock.advance(19_000);
    expect(await cluster.pod("deaf")).toBeDefined();
    await cluster.clock.advance(1000);
    await cluster.gone("deaf");
    write("still here");
    await expect(connection.credentials.current()).rejects.toThrow("was killed");
  });

  test("is restarted, with a termination status, after a restart of the lab", async () => {
    const program = programs.get("wait")!;
    const first = cluster.kubelets(["other"], { program });
    await cluster.createPod({ name: "resumed", node: "other", ...attune("wait") });
    await cluster.podThat("resumed", phase("Running"));
    await first.stop();
    cluster.kubelets(["other"], { program });
    const pod = await cluster.podThat("resumed", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      state: { running: {} },
      lastState: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown" } },
    });
  });
});

describe("a log", () => {
  test("is read in parts, and of the previous run", async () => {
    programs.set("talk", async ({ write }) => (["one", "two", "three"].forEach((line) => write(line)), 3));
    await cluster.createPod({ name: "talk", node, ...attune("talk") });
    await cluster.podThat("talk", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(await logOf("talk")).toBe("one\ntwo\nthree\n");
    expect(await logOf("talk", "?tailLines=1")).toBe("three\n");
    expect(await logOf("talk", "?limitBytes=6")).toBe("one\ntw");
    expect(await logOf("talk", "?sinceSeconds=0&timestamps=true")).toMatch(/^\d{4}-\S+Z one\n/);
    expect(await logOf("talk", `?sinceTime=${new Date(cluster.clock.now() + 1000).toISOString()}`)).toBe("");
    expect(await logOf("talk", "?previous=true")).toBe("one\ntwo\nthree\n");
  });

  test.each([
    ["no such pod", `/containerLogs/${namespace}/absent/main`, 404],
    ["no such container", `/containerLogs/${namespace}/talk/nosuch`, 404],
    ["nothing before", `/containerLogs/${namespace}/hello/main?previous=true`, 400],
    ["nonsense", `/containerLogs/${namespace}/talk/main?tailLines=x`, 400],
    ["a broken path", `/containerLogs/%zz/talk/main`, 404],
    ["another page", "/metrics", 404],
  ])("that cannot be given is refused: %s", async (_, path, code) => {
    expect((await logs(path)).code).toBe(code);
  });

  test("is served only to users whom the cluster authorizes", async () => {
    const path = `/containerLogs/${namespace}/talk/main`;
    expect((await logs(path, {})).code).toBe(401);
    expect((await logs(path, { token: "nonsense" })).code).toBe(401);
    expect((await logs(path, { token: cluster.server.authority.adminToken })).code).toBe(200);
    const spec = { audiences: [] };
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
    const target = { namespace, name: "default", subresource: "token" };
    const { status } = await cluster.admin.create(kinds.tokenRequest, review, target);
    const denied = await logs(path, { token: status!.token });
    expect(denied).toMatchObject({ code: 403, text: expect.stringContaining("nodes") as string });
    expect((await logs("/healthz", {})).text).toBe("ok");
  });
});
