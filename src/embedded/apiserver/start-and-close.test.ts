import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get, request, type RequestOptions } from "node:https";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startServer, type ApiServer, type ServerOptions } from "./server.ts";
import { MemoryBackend } from "./storage/store.ts";

let dir: string;
let server: ApiServer | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-server-"));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}): Promise<ApiServer> {
  server = await startServer({ dir, ...options });
  return server;
}

interface Answered {
  readonly code: number;
  readonly json: { metadata: { resourceVersion: string; name: string }; status?: { token: string } };
}

interface Sent {
  readonly body?: object;
  readonly token?: string | undefined;
}

function ask(to: ApiServer, method: string, path: string, { body, token }: Sent = {}): Promise<Answered> {
  const { caPem, adminToken } = to.authority;
  const options: RequestOptions = {
    method,
    ca: caPem,
    agent: false,
    headers: { authorization: `Bearer ${token ?? adminToken}`, "content-type": "application/json" },
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${to.url}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ code: response.statusCode ?? 0, json: JSON.parse(text) as Answered["json"] }));
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}
const configMaps = "/api/v1/namespaces/default/configmaps";
const put = (to: ApiServer, name: string) => ask(to, "POST", configMaps, { body: { metadata: { name } } });

describe("a server that is started again on its directory", () => {
  it("keeps objects, revisions, tokens and the kubeconfig", async () => {
    const first = await start();
    const { json: made } = await put(first, "one");
    const account = { metadata: { name: "robot" } };
    await ask(first, "POST", "/api/v1/namespaces/default/serviceaccounts", { body: account });
    const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    const { json: granted } = await ask(first, "POST", path, { body: {} });
    const kubeconfig = await readFile(first.kubeconfig, "utf8");
    await first.close();

    const second = await start({ port: first.port });
    expect(await readFile(second.kubeconfig, "utf8")).toBe(kubeconfig);
    expect((await ask(second, "GET", `${configMaps}/one`)).json).toEqual(made);
    const { json: next } = await put(second, "two");
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect((await ask(second, "POST", whoAmI, { body: review, token: granted.status?.token })).json).toMatchObject({
      status: { userInfo: { username: "system:serviceaccount:default:robot" } },
    });
  });

  it("writes nothing on its own", async () => {
    const first = await start();
    const { json: before } = await ask(first, "GET", configMaps);
    await first.close();
    const second = await start({ port: first.port });
    expect((await ask(second, "GET", configMaps)).json.metadata).toEqual(before.metadata);
  });
});

describe("a server", () => {
  it("keeps its secrets readable by the owner only", async () => {
    const state = join(dir, "state");
    await mkdir(state);
    await chmod(state, 0o755);
    await start({ dir: state });
    for (const path of ["", ...(await readdir(state, { recursive: true }))])
      expect({ path, open: (await stat(join(state, path))).mode & 0o077 }).toEqual({ path, open: 0 });
  });

  it.runIf(process.geteuid?.() === 0)("refuses a directory in which another user put a key", async () => {
    await (await start()).close();
    await chown(join(dir, "pki/ca.pem"), 12345, 12345);
    await expect(start()).rejects.toThrow("belongs to user 12345");
  });

  it("closes while clients watch, over either protocol", async () => {
    const running = await start({ storage: "memory" });
    const { caPem, adminToken } = running.authority;
    const headers = { authorization: `Bearer ${adminToken}` };
    const path = `${configMaps}?watch=1`;
    const answer = await new Promise<IncomingMessage>((resolve) => {
      get(`${running.url}${path}`, { ca: caPem, agent: false, headers }, resolve);
    });
    const session = connect(running.url, { ca: caPem });
    const stream = session.request({ ":path": path, ...headers });
    await once(stream, "response");
    for (const open of [answer, session, stream]) open.on("error", () => {});
    const closed = Promise.all([answer, session].map((open) => new Promise((resolve) => open.once("close", resolve))));

    await running.close();
    await closed;
  });

  it("fails if its port is taken, and closes what it had opened", async () => {
    const running = await start({ storage: "memory" });
    const closing = vi.spyOn(MemoryBackend.prototype, "close");
    const other = startServer({ dir: join(dir, "other"), port: running.port, storage: "memory" });
    await expect(other).rejects.toThrow(/EADDRINUSE/);
    expect(closing).toHaveBeenCalledTimes(1);
  });
});
