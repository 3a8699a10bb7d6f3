import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { Program } from "../../src/program/cli/testing/program.ts";
import { startChild, type ChildServer, type Outcome } from "./child-server.ts";
import { Client } from "./client.ts";

const path = "/api/v1/namespaces/default/configmaps";
const noSpace = expect.stringMatching(/commit to storage failed: No space left on device \(/) as string;
const canMount = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", tmpdir()]).status === 0;
if (!canMount) console.warn("not run: a server on a full disk (mounting is not permitted)");

describe.runIf(canMount)("a server on a full disk", () => {
  let program: Program;
  let dir: string;
  let server: ChildServer | undefined;
  beforeAll(async () => {
    program = await Program.build();
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "attune-disk-"));
  });
  afterEach(async () => {
    await server?.kill();
    server = undefined;
    await rm(dir, { recursive: true, force: true });
  });

  /** A server whose directory is a small file system in a mount namespace of its own. */
  async function start(size: string, ...flags: string[]): Promise<Outcome> {
    const mount = 'mount -t tmpfs -o mode=700,size="$1" tmpfs "$2" && shift 2 && exec "$@"';
    const wrapper = ["unshare", "--mount", "sh", "-c", mount, "sh", size, dir];
    const outcome = await startChild(program, ["--dir", dir, "--port", "0", ...flags], wrapper);
    if (outcome.type === "ready") server = outcome.server;
    return outcome;
  }

  function insideOf({ pid }: ChildServer): string {
    return join(`/proc/${pid}/root`, dir);
  }

  async function clientOf(server: ChildServer): Promise<Client> {
    const [caPem, token] = await Promise.all(
      ["pki/ca.pem", "pki/admin.token"].map((file) => readFile(join(insideOf(server), file), "utf8")),
    );
    return new Client({ url: server.url, caPem: caPem!, token: token!.trim() });
  }

  // A write that meets the end of the disk fails as a whole, or takes what is left.
  it.each([
    { left: 0, flags: [] },
    { left: 40_960, flags: [] },
    { left: 0, flags: ["--fsync"] },
    { left: 40_960, flags: ["--fsync"] },
  ])(
    "names the cause, still reads, and writes again when there is space: $left bytes are left $flags",
    async ({ left, flags }) => {
      const outcome = await start("8m", ...flags);
      if (outcome.type === "ended") throw new Error(outcome.stderr);
      const inside = insideOf(outcome.server);
      const client = await clientOf(outcome.server);
      const post = (name: string) => client.post(path, { metadata: { name }, data: { a: "x".repeat(200_000) } });
      expect((await post("before")).status).toBe(201);

      const { bavail, bsize } = await statfs(inside);
      await writeFile(join(inside, "filler"), Buffer.alloc(bavail * bsize - left));
      let kept = 0;
      while ((await post(`kept-${kept}`)).status === 201) kept++;
      for (const name of ["during", "again"]) {
        const { status, json } = await post(name);
        expect({ status, message: json.message }).toEqual({ status: 500, message: noSpace });
      }
      expect((await client.get("/readyz")).text).toContain("No space left on device");
      expect((await client.get(`${path}/before`)).status).toBe(200);

      await rm(join(inside, "filler"));
      expect((await post("after")).status).toBe(201);
      expect((await client.get("/readyz")).text).toBe("ok");
      const names = (await client.get(path)).json.items.map(({ metadata }) => metadata.name);
      const others = names.filter((name) => name !== "kube-root-ca.crt" && !name?.startsWith("kept-"));
      expect(others).toEqual(["after", "before"]);
      expect(names.length).toBe(1 + others.length + kept);
      client.close();
    },
  );

  // lmdb describes a write that fails with more letters than it has memory for, once the file has ten megabytes.
  it("refuses writes to a large file as often as they come, and deletes objects", async () => {
    const outcome = await start("24m");
    if (outcome.type === "ended") throw new Error(outcome.stderr);
    const client = await clientOf(outcome.server);
    const post = (name: string, bytes: number) =>
      client.post(path, { metadata: { name }, data: { a: "x".repeat(bytes) } });
    let written = 0;
    while ((await post(`large-${written}`, 300_000)).status === 201) written++;
    expect(written).toBeGreaterThan(40);
    for (let i = 0; i < 50; i++) {
      const { status, json } = await post(`refused-${i}`, 300_000);
      expect({ status, message: json.message }).toEqual({ status: 500, message: noSpace });
    }
    for (const name of ["large-0", "large-1"]) expect((await client.delete(`${path}/${name}`)).status).toBe(200);
    expect((await client.get(path)).json.items.length).toBe(written - 2 + 1);
    client.close();
  });

  it("does not start, and says why", async () => {
    const outcome = await start("128k");
    expect(outcome).toMatchObject({ type: "ended", code: 1 });
    expect((outcome as { stderr: string }).stderr).toMatch(/^error: .*no space left on device/i);
  });
});
