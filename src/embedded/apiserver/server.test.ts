import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type ApiServer } from "./server.ts";

let dir: string;
let server: ApiServer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-server-"));
  server = await startServer({ dir, storage: "memory" });
});
afterAll(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

function ask(method: string, path: string, accept: string): Promise<Answer> {
  const headers = { accept, authorization: `Bearer ${server.authority.adminToken}` };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, headers, ca: server.authority.caPem }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"], text }),
      );
    });
    sent.on("error", reject).end();
  });
}

const json = "application/json";
const yaml = "application/yaml";
const as = (kind: string): string => `${json};as=${kind};v=v1;g=meta.k8s.io`;
const one = "/api/v1/namespaces/default";
const many = "/api/v1/namespaces/default/configmaps";

it.each([
  ["one object as the metadata of a list", "GET", one, as("PartialObjectMetadataList"), 406],
  ["a list as the metadata of one object", "GET", many, as("PartialObjectMetadata"), 406],
  ["a table with a part of its objects that is none", "GET", `${many}?includeObject=All`, as("Table"), 400],
  [
    "a table of a kind without metadata",
    "POST",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    as("Table"),
    406,
  ],
  ["a watch in YAML", "GET", `${many}?watch=true`, yaml, 406],
  ["the head of an object", "HEAD", one, json, 405],
  ["a change of a whole collection", "PATCH", many, json, 405],
  ["a new state of a whole collection", "PUT", many, json, 405],
  ["the deletion of a kind in all namespaces", "DELETE", "/api/v1/configmaps", json, 405],
])("%s is refused", async (_, method, path, accept, status) => {
  expect((await ask(method, path, accept)).status).toBe(status);
});

it("treats a watch with a name in the path as a get", async () => {
  expect(JSON.parse((await ask("GET", `${one}?watch=true`, json)).text)).toMatchObject({ kind: "Namespace" });
});

it("sends refusals in the requested media type", async () => {
  expect(await ask("GET", `${many}/absent`, yaml)).toMatchObject({
    status: 404,
    type: yaml,
    text: expect.stringContaining("reason: NotFound") as string,
  });
});
