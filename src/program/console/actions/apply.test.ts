import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { staticCredentials } from "../../../cluster/kube/connect/credentials.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { applyAll } from "./apply.ts";

const apiVersion = "tuned.openshift.io/v1";
const resources = [{ name: "tuneds", kind: "Tuned", namespaced: true, verbs: ["patch"] }];
const manifests = ["one", "two", "three"].map((name, at) => ({
  place: `file, document ${at + 1}`,
  object: { apiVersion, kind: "Tuned", metadata: { name } },
}));

/** An API server that answers a PATCH as `answer` says: without one, it cuts the connection. */
async function serving(answer: (name: string) => number | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") return response.end(JSON.stringify({ kind: "APIResourceList", resources }));
    const name = /tuneds\/(\w+)/.exec(request.url ?? "")?.[1] ?? "";
    asked.push(name);
    const code = answer(name);
    if (code === undefined) return request.socket.destroy();
    response.statusCode = code;
    return response.end(
      JSON.stringify(code < 300 ? { kind: "Tuned" } : { kind: "Status", code, message: "in the words of the server" }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}` };
  const connection = { cluster, credentials: staticCredentials({}), namespace: "default", name: "test" };
  const client = new HttpClient(connection);
  const end = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(() => {
    client.close();
    end();
  });
  const outcomes = async () =>
    (
      await applyAll(manifests, { client, discovery: new Discovery(client), namespace: "default", takesOver: false })
    ).map(({ name, error, lost }) => [name, error === undefined ? "written" : (lost ?? "refused")]);
  return { asked, outcomes, end };
}

test("a server that dies over an object leaves in doubt whether it was written, and gets nothing more", async () => {
  const { asked, outcomes } = await serving((name) => (name === "two" ? undefined : 200));
  expect(await outcomes()).toEqual([
    ["one", "written"],
    ["two", "unknown"],
    ["three", "unsent"],
  ]);
  expect(asked).toEqual(["one", "two"]);
});

test("a server that is gone got nothing", async () => {
  const { outcomes, end } = await serving((name) => {
    if (name === "one") setImmediate(end);
    return 200;
  });
  const found = await outcomes();
  expect(found[0]).toEqual(["one", "written"]);
  expect(found[2]).toEqual(["three", "unsent"]);
});

test("an object that is refused keeps no other from being written", async () => {
  const { outcomes } = await serving((name) => (name === "two" ? 409 : 200));
  expect(await outcomes()).toEqual([
    ["one", "written"],
    ["two", "refused"],
    ["three", "written"],
  ]);
});
