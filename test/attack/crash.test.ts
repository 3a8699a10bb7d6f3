import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Program } from "../../src/program/cli/testing/program.ts";
import { startChild, type ChildServer } from "./child-server.ts";
import { Client, type Answered } from "./client.ts";

const path = "/api/v1/namespaces/default/configmaps";
const rounds = process.env.ATTUNE_LONG ? 25 : 4;

let program: Program;
let dir: string;
let running: ChildServer[] = [];
beforeAll(async () => {
  program = await Program.build();
});
afterAll(() => program.remove());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-crash-"));
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.kill()));
  running = [];
  await rm(dir, { recursive: true, force: true });
});

async function start(...flags: string[]): Promise<ChildServer> {
  const outcome = await startChild(program, ["--dir", dir, ...flags]);
  if (outcome.type === "ended") throw new Error(`start the server: ${outcome.stderr}`);
  running.push(outcome.server);
  return outcome.server;
}

/** What a client knows about one object: the last response, and whether a later request has none. */
interface Known {
  version: number;
  value: number;
  deleted: boolean;
  uncertain: boolean;
}

/** Writes to its own objects one after the other until the server is gone. */
async function writeUntilDead(
  client: Client,
  writer: string,
  known: Map<string, Known>,
  onWritten: () => void,
): Promise<void> {
  for (let step = 0; ; step++) {
    const name = `${writer}-${step % 7}`;
    const before = known.get(name) ?? { version: 0, value: 0, deleted: true, uncertain: false };
    const next = { ...before, value: before.value + 1 };
    known.set(name, { ...before, uncertain: true });
    try {
      if (before.deleted) next.version = await written(client.post(path, body(name, next.value)));
      else if (step % 5 === 4) {
        const { status } = await client.delete(`${path}/${name}`);
        expect(status).toBe(200);
        Object.assign(next, { deleted: true, value: before.value });
      } else next.version = await written(client.put(`${path}/${name}`, body(name, next.value)));
    } catch (error) {
      if ((error as { code?: string }).code) return;
      throw error;
    }
    if (before.deleted) next.deleted = false;
    known.set(name, next);
    onWritten();
  }
}

async function written(answer: ReturnType<Client["post"]>): Promise<number> {
  const { status, json } = await answer;
  expect(status).toBeLessThan(300);
  return Number(json.metadata.resourceVersion);
}

const body = (name: string, value: number): object => ({
  metadata: { name, labels: { value: String(value) } },
  data: { value: String(value), padding: "x".repeat(value % 3000) },
});

/** The stored state agrees with every acknowledged write; unacknowledged ones may have happened or not. */
function check(known: Map<string, Known>, items: readonly Answered[]): void {
  const found = new Map(items.map((item) => [item.metadata.name, item]));
  for (const [name, { version, value, deleted, uncertain }] of known) {
    const item = found.get(name);
    if (!item) {
      expect(deleted || uncertain, `${name} was acknowledged and is gone`).toBe(true);
      known.set(name, { version, value, deleted: true, uncertain: false });
      continue;
    }
    expect(!deleted || uncertain, `${name} was deleted and is back`).toBe(true);
    const there = Number(item.data.value);
    expect(
      there === value || (uncertain && there === value + 1),
      `${name}: ${value} was written, ${there} is there`,
    ).toBe(true);
    expect(item.metadata.labels.value).toBe(item.data.value);
    expect(item.data.padding).toHaveLength(there % 3000);
    expect(Number(item.metadata.resourceVersion)).toBeGreaterThanOrEqual(version);
    known.set(name, { version: Number(item.metadata.resourceVersion), value: there, deleted: false, uncertain: false });
  }
}

describe("a server killed at any moment", () => {
  it("has every acknowledged write completely, and continues its revisions", async () => {
    let server = await start("--port", "0");
    const { port } = new URL(server.url);
    const kubeconfig = parse(await readFile(join(dir, "kubeconfig"), "utf8")) as {
      clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
      users: { user: { token: string } }[];
    };
    // The first kubeconfig is used to the end: it must outlive every restart.
    const { cluster } = kubeconfig.clusters[0] as (typeof kubeconfig.clusters)[number];
    const credentials = {
      url: cluster.server,
      caPem: Buffer.from(cluster["certificate-authority-data"], "base64").toString(),
      token: (kubeconfig.users[0] as { user: { token: string } }).user.token,
    };
    const known = new Map<string, Known>();
    let revision = 0;
    for (let round = 0; round < rounds; round++) {
      const client = new Client(credentials);
      let left = 30 + Math.floor(Math.random() * 400);
      let killed: Promise<void> | undefined;
      const onWritten = (): void => {
        if (--left === 0) killed = server.kill();
      };
      await Promise.all(["a", "b", "c", "d", "e", "f"].map((one) => writeUntilDead(client, one, known, onWritten)));
      await killed;
      client.close();

      server = await start("--port", port);
      const reader = new Client(credentials);
      const list = (await reader.get(path)).json;
      check(known, list.items);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThan(revision);
      for (const item of list.items) {
        expect(Number(item.metadata.resourceVersion)).toBeLessThanOrEqual(Number(list.metadata.resourceVersion));
        expect((await reader.get(`${path}/${item.metadata.name}`)).json).toMatchObject(item);
      }
      const old = (await reader.get(`${path}?watch=true&resourceVersion=${Math.max(1, revision)}&timeoutSeconds=1`))
        .text;
      expect(JSON.parse(old.split("\n")[0] as string)).toMatchObject({ type: "ERROR", object: { code: 410 } });
      revision = Number(list.metadata.resourceVersion);
      const probe = await reader.post(path, { metadata: { generateName: "probe-" } });
      expect(Number(probe.json.metadata.resourceVersion)).toBeGreaterThan(revision);
      reader.close();
    }
    expect([...known.values()].reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(rounds * 10);
    await server.kill();
  });
});

describe("two servers on one directory", () => {
  it("the second names the process that has it, and the first continues", async () => {
    const server = await start("--port", "0");
    const second = await startChild(program, ["--dir", dir, "--port", "0"]);
    if (second.type === "ready") await second.server.kill();
    expect(second).toMatchObject({ type: "ended", code: 1 });
    expect((second as { stderr: string }).stderr).toMatch(/^error: lock directory .*: process \d+ is using it\n$/);
    const token = (await readFile(join(dir, "pki/admin.token"), "utf8")).trim();
    const caPem = await readFile(join(dir, "pki/ca.pem"), "utf8");
    const client = new Client({ url: server.url, caPem, token });
    expect((await client.post(path, { metadata: { generateName: "still-" } })).status).toBe(201);
    client.close();
    await server.kill();
  });

  it("where the lock of the first was removed lose no acknowledged write: the first takes no more", async () => {
    const first = await start("--port", "0");
    const token = (await readFile(join(dir, "pki/admin.token"), "utf8")).trim();
    const caPem = await readFile(join(dir, "pki/ca.pem"), "utf8");
    const one = new Client({ url: first.url, caPem, token });
    for (const name of await readdir(dir)) if (name.startsWith("lock.")) await rm(join(dir, name));
    const acknowledged = new Set<string>();
    const write = async (client: Client, name: string): Promise<number> => {
      const { status } = await client.post(path, { metadata: { name } });
      if (status === 201) acknowledged.add(name);
      return status;
    };
    expect(await write(one, "before")).toBe(201);
    const second = await start("--port", "0");
    const other = new Client({ url: second.url, caPem, token });
    expect(await write(one, "late")).toBe(500);
    expect((await one.get("/readyz")).text).toContain("another server has taken over");
    expect(await write(other, "after")).toBe(201);
    expect(await write(one, "later")).toBe(500);
    await second.kill();
    const reader = new Client({ url: (await start("--port", "0")).url, caPem, token });
    const names = (await reader.get(path)).json.items.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name !== "kube-root-ca.crt")).toEqual([...acknowledged].toSorted());
    for (const client of [one, other, reader]) client.close();
  });

  it("a directory left by a killed server is free", async () => {
    await (await start("--port", "0")).kill();
    await (await start("--port", "0")).kill();
  });
});

describe("the command line", () => {
  it.each([
    ["a port that is none", ["--port", "x"], /^error: --port x: not a port number/],
    ["a port out of range", ["--port", "65536"], /^error: --port 65536: not a port number/],
    ["a directory that is a file", ["--dir", "/dev/null"], /^error: .*\/dev\/null/],
  ])("%s is an error, not a stack trace", async (_, flags, expected) => {
    const outcome = await startChild(program, ["--dir", dir, ...flags]);
    expect(outcome).toMatchObject({ type: "ended", code: 1 });
    expect((outcome as { stderr: string }).stderr).toMatch(expected);
    expect((outcome as { stderr: string }).stderr).not.toContain("    at ");
  });
});
