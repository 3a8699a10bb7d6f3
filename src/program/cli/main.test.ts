import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import type { IncomingMessage } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, inject, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { loadConnection } from "../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../cluster/kube/http-client.ts";
import { tunedKind, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { node, Program } from "./testing/program.ts";
import { exampleTuned } from "./up/worked-example.ts";

let attune: Program;
let dir: string;
/** A kubeconfig for a server that does not run. */
let unreachable: string;

beforeAll(async () => {
  attune = await Program.build();
  unreachable = join(await mkdtemp(join(tmpdir(), "attune-kubeconfig-")), "kubeconfig");
  const named = (what: object): object[] => [{ name: "a", ...what }];
  const config = {
    clusters: named({ cluster: { server: "https://127.0.0.1:1" } }),
    users: named({ user: { token: "t" } }),
    contexts: named({ context: { cluster: "a", user: "a" } }),
  };
  await writeFile(unreachable, JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "a", ...config }));
});
afterAll(() => Promise.all([attune.remove(), rm(dirname(unreachable), { recursive: true })]));
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-cli-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Opens a watch on the server that the command started, with its kubeconfig. */
async function watch(url: string): Promise<IncomingMessage> {
  const kubeconfig = await readFile(join(dir, "kubeconfig"), "utf8");
  const [, token] = /token: "(\S+)"/.exec(kubeconfig) ?? [];
  const [, ca = ""] = /certificate-authority-data: (\S+)/.exec(kubeconfig) ?? [];
  const options = { ca: Buffer.from(ca, "base64"), agent: false, headers: { authorization: `Bearer ${token}` } };
  return new Promise((resolve, reject) => {
    get(`${url}/api/v1/namespaces?watch=1`, options, resolve).on("error", reject);
  });
}

it("runs on the Node.js that the suite is for", async () => {
  const NODE_OPTIONS = "--import=data:text/javascript,console.error(process.version)";
  const { stderr } = await attune.run(["--version"], { NODE_OPTIONS });
  expect(stderr).toBe(`${inject("nodeVersion")}\n`);
});

it.each(["apiserver", "up"])(
  "%s says what it needs where its storage is not installed, as in the image",
  async (name) => {
    const bundle = join(dir, "bundle");
    await cp(attune.path, bundle, { recursive: true });
    const args = [join(bundle, "attune.cjs"), name, "--dir", join(dir, "state"), "--port", "0"];
    const { status, stderr } = spawnSync(node, args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      "error: open the storage of the API server: the package lmdb is not installed, and images do not have it: run attune from an installation by npm\n",
    ]);
  },
);

describe("attune", () => {
  it("lists its commands", async () => {
    const { code, stdout, stderr } = await attune.run(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of ["up", "apiserver", "help"]) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  it("lists the flags of a command", async () => {
    const { code, stdout } = await attune.run(["help", "up"]);
    expect(code).toBe(0);
    for (const option of ["--mode", "--nodes", "--dir", "--port", "--once"]) expect(stdout).toContain(option);
  });

  it.each([["crds"], ["install", "-o", "json"], ["install", "--help"], ["help"], ["__complete", ""]])(
    "ends without an error if the reader of `%s` closes the pipe",
    async (...args) => {
      const run = attune.start(args);
      run.close();
      expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
    },
  );

  it("prints its version", async () => {
    expect(await attune.run(["--version"])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  const mistakes: [string[], RegExp][] = [
    [
      ["operator", "--probe-address", "foo", "--kubeconfig", "UNREACHABLE"],
      /^error: --probe-address foo: not of the form host:port, such as :8080\n/,
    ],
    [
      ["take-over", "--kubeconfig", "UNREACHABLE"],
      /^error: cannot reach the API server at 127.0.0.1:1: connection refused \(ECONNREFUSED\); check that it runs, and the cluster of the kubeconfig\n$/,
    ],
    [
      ["operator", "--kubeconfig", "UNREACHABLE"],
      /^\{.*"message":"attune .*\n\{"level":"error",.*"message":"cannot reach the API server at 127.0.0.1:1: .*\}\n$/,
    ],
    [["nothing"], /^error: unknown command 'nothing'/],
    [["nothing"], /\n\(attune --help lists the commands\)\n$/],
    [["\x1b[31mnothing"], /^error: unknown command '\\u\{1b\}\[31mnothing'\n/],
    [["explain", "\x1b[31mnode", "n"], /^error: \P{Cc}+\n$/u],
    [["up", "--bogus"], /^error: unknown option '--bogus'\n\(attune up --help lists its flags\)\n$/],
    [["tuned", "show", "--bogus"], /\n\(attune tuned show --help lists its flags\)\n$/],
    [["tuned", "nothing"], /\n\(attune tuned --help lists the commands\)\n$/],
    [
      ["explain", "job", "x", "--kubeconfig", "/gone"],
      /^error: explain job: only nodes, Tuneds and pods can be explained\n$/,
    ],
    [["plan", "-f", "/gone/x.yaml", "--kubeconfig", "/gone"], /^error: .*\/gone\/x.yaml/],
    [["apiserver"], /^error: required option '--dir <dir>' not specified/],
    [["apiserver", "--dir", "DIR", "--port", "65536"], /^error: --port 65536: not a port number/],
    [["apiserver", "--dir", "DIR", "--port", "-1"], /^error: --port -1: not a port number/],
    [["apiserver", "--dir", "DIR", "--port", "1e3"], /^error: --port 1e3: not a port number/],
    [["up", "--dir", "DIR", "--port", "http"], /^error: --port http: not a port number/],
    [["up", "--dir", "DIR", "--nodes", "0"], /^error: --nodes 0: not a number of nodes/],
    [["up", "--dir", "DIR", "--nodes", "many"], /^error: --nodes many: not a number of nodes/],
    [["up", "--dir", "DIR", "--mode", "foo"], /^error: --mode foo: not one of hosted, standalone, plain\n/],
  ];
  it.each(mistakes)("answers %j with one error, exit code 1 and nothing on disk", async (args, error) => {
    const files = new Map([
      ["DIR", dir],
      ["UNREACHABLE", unreachable],
    ]);
    const { code, stdout, stderr } = await attune.run(args.map((arg) => files.get(arg) ?? arg));
    expect(stderr).toMatch(error);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([code, stdout, await readdir(dir)]).toEqual([1, "", []]);
  });
});

describe("attune apiserver", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "prints one line when it is ready, and stops on %s although clients watch",
    async (signal) => {
      const run = attune.start(["apiserver", "--dir", dir]);
      const [, url = ""] = await run.printed(/^ready (https:\/\/127\.0\.0\.1:[0-9]+)\n/);
      const stream = await watch(url);
      expect(stream.statusCode).toBe(200);
      const broken = new Promise((resolve) => stream.on("error", () => {}).once("close", resolve));
      expect(await run.stop(signal)).toEqual({ code: 0, signal: null, stdout: `ready ${url}\n`, stderr: "" });
      await broken;
      expect((await readdir(dir)).filter((name) => name.startsWith("lock"))).toEqual([]);
    },
  );

  it("refuses a directory that another process uses", async () => {
    const run = attune.start(["apiserver", "--dir", dir]);
    await run.printed(/^ready /);
    const { code, stderr } = await attune.run(["apiserver", "--dir", dir]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: lock directory \S+: process [0-9]+ is using it\n$/),
    ]);
    expect((await run.stop("SIGTERM")).code).toBe(0);
  });

  it("takes over the directory of a killed process", async () => {
    const run = attune.start(["apiserver", "--dir", dir]);
    await run.printed(/^ready /);
    await run.stop("SIGKILL");
    const next = attune.start(["apiserver", "--dir", dir]);
    await next.printed(/^ready /);
    expect((await next.stop("SIGTERM")).code).toBe(0);
  });

  it("refuses the directory of another mode", async () => {
    await writeFile(join(dir, "mode"), "hosted\n");
    const { code, stderr } = await attune.run(["apiserver", "--dir", dir]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: lock directory \S+: it holds the state of mode hosted, not apiserver: /);
  });

  it("fails if its port is in use", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as AddressInfo;
    const { code, stdout, stderr } = await attune.run(["apiserver", "--dir", dir, "--port", String(port)]);
    holder.close();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: .*EADDRINUSE/);
  });

  it("fails if no directory can be made, instead of trying forever", async () => {
    const { code, stderr } = await attune.run(["apiserver", "--dir", "/proc/attune/state"]);
    expect([code, stderr]).toEqual([1, "error: mkdir /proc/attune: no such file or directory (ENOENT)\n"]);
  });

  it("fails if its directory is a file", async () => {
    await writeFile(join(dir, "file"), "");
    const { code, stderr } = await attune.run(["apiserver", "--dir", join(dir, "file")]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: /)]);
  });
});

const standalone = ["up", "--mode", "standalone"];

const rowsOf = (table: string): string[] => table.split("\n").filter((line) => line.startsWith("node-"));

/** Longer than the timeout of the command itself, which reports the reason. */
const timeout = { timeout: 150_000 };

describe("attune up --once", timeout, () => {
  it("applies the example on every node, also with the state of an earlier run", async () => {
    for (const nodes of ["2", "1"]) {
      const { code, stdout, stderr } = await attune.run([...standalone, "--once", "--dir", dir, "--nodes", nodes]);
      expect([code, stderr]).toEqual([0, ""]);
      const [first = "", last = first] = stdout.split(/^NODE /m).slice(1);
      expect(first).toMatch(/^node-1 .* waiting for /m);
      expect(rowsOf(last)).toHaveLength(Number(nodes));
      for (const row of rowsOf(last))
        expect(row).toMatch(/^node-[12] +quiet-memory +True +False +11 +TuneD profile applied/);
    }
  });

  it("tunes the nodes of a hosted cluster by NodePools, and shows these", async () => {
    const { code, stdout, stderr } = await attune.run(["up", "--once", "--dir", dir]);
    expect([code, stderr]).toEqual([0, ""]);
    const last = stdout.split(/^NODE /m).at(-1) ?? "";
    expect(rowsOf(last)).toEqual([
      expect.stringMatching(/^node-1 +quiet-memory +True +False +11 /),
      expect.stringMatching(/^node-2 +openshift-node-performance-low-latency +True +False +10 /),
    ]);
    expect(last).toMatch(/^low-latency +1 +1 +[0-9a-f]{12} +nothing\nworkers +1 +1 +[0-9a-f]{12} +nothing\n$/m);
  });

  it("with --mode plain rolls out the example's PerformanceProfile, and shows the pools", async () => {
    const { code, stdout, stderr } = await attune.run(["up", "--once", "--mode", "plain", "--dir", dir]);
    expect([code, stderr]).toEqual([0, ""]);
    const last = stdout.split(/^NODE /m).at(-1) ?? "";
    expect(rowsOf(last)).toEqual([
      expect.stringMatching(/^node-1 +quiet-memory +True +False +11 /),
      expect.stringMatching(/^node-2 +openshift-node-performance-low-latency +True +False +10 /),
    ]);
    expect(last).toMatch(/^low-latency +1 +1 +[0-9a-f]{12} +nothing\nworker +1 +1 +none +nothing\n$/m);
  });

  it("names the state directory that it cannot create, and what to do", async () => {
    const { code, stderr } = await attune.run(["up", "--once"], { HOME: "/proc/home", XDG_STATE_HOME: "" });
    expect([code, stderr]).toEqual([
      1,
      "error: use the state directory /proc/home/.local/state/attune/hosted: " +
        "mkdir /proc/home: no such file or directory (ENOENT); choose another with --dir\n",
    ]);
  });

  it.each(["", "."])("writes nothing into the working directory where HOME is %j", async (HOME) => {
    expect(await attune.run(["up", "--once"], { HOME, XDG_STATE_HOME: "" })).toMatchObject({
      code: 1,
      stderr: "error: choose a state directory: neither HOME nor XDG_STATE_HOME is an absolute path; pass --dir\n",
    });
  });

  it("keeps what a user changed, and does not wait for the example then", async () => {
    const run = attune.start([...standalone, "--dir", dir]);
    await run.printed(/^node-1 +quiet-memory +True /m);
    const own = exampleTuned();
    own.spec!.profile![0]!.data = "[sysctl]\nvm.swappiness=17\n";
    const admin = new HttpClient(await loadConnection({ kubeconfig: join(dir, "kubeconfig") }));
    const patch = { type: "merge", patch: { spec: own.spec } } as const;
    await admin.patch(tunedKind, "quiet-memory", patch, { namespace: tuningNamespace });
    admin.close();
    // The table follows the change.
    await run.printed(/^node-1 +quiet-memory +True +False +17 /m);
    expect((await run.stop("SIGTERM")).code).toBe(0);
    const { code, stdout, stderr } = await attune.run([...standalone, "--once", "--dir", dir]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(rowsOf(stdout).at(-1)).toMatch(/^node-1 +quiet-memory +True +False +17 /);
  });

  it("keeps its state below XDG_STATE_HOME by default, where other commands find its cluster", async () => {
    const env = { XDG_STATE_HOME: join(dir, "state"), HOME: dir, KUBECONFIG: "" };
    const run = attune.start(standalone, env);
    await run.printed(/press Ctrl-C/);
    const kubeconfig = join(dir, "state/attune/standalone/kubeconfig");
    // What would change a cluster takes none that the user has not named.
    for (const args of [["install", "--apply"], ["uninstall"], ["lab", "--nodes", "1"], ["node-token", "n"]])
      expect(await attune.run(args, env)).toMatchObject({
        code: 1,
        stderr:
          "error: no cluster: attune up is running; to use its cluster:\n  export KUBECONFIG=$HOME/state/attune/standalone/kubeconfig\n",
      });
    const found = `cluster: that of attune up, in ${dirname(kubeconfig)}\n`;
    for (const args of [
      ["status"],
      ["explain", "node", "node-1"],
      ["lab", "read", "node-1", "/proc/sys/vm/swappiness"],
      ["profile", "info"],
      ["uninstall", "--dry-run"],
      ["support-bundle", "--file", join(dir, "bundle.tar.gz")],
    ])
      expect(await attune.run(args, env)).toMatchObject({ code: 0, stderr: found });
    const named = await attune.run(["explain", "node", "node-1"], { ...env, KUBECONFIG: kubeconfig });
    expect(named).toMatchObject({ code: 0, stderr: "" });
    // `lab` has a flag of the same name.
    const read = ["lab", "read", "node-1", "/proc/sys/vm/swappiness", "--kubeconfig", kubeconfig];
    expect(await attune.run(read, env)).toMatchObject({ code: 0, stderr: "" });
    expect((await run.stop("SIGTERM")).code).toBe(0);
    expect((await attune.run(["explain", "node", "node-1"], env)).stderr).toBe(
      "error: no cluster: run attune up, or pass --kubeconfig\n",
    );
  });
});

it("attune up runs until SIGTERM, and prints how to use its cluster for any directory", timeout, async () => {
  const run = attune.start([...standalone, "--dir", join(dir, "with a blank")]);
  const [, path] = await run.printed(/export KUBECONFIG='([^']+)'\n +attune status\n/);
  expect(path).toBe(join(dir, "with a blank", "kubeconfig"));
  await run.printed(/press Ctrl-C/);
  expect(await run.stop("SIGTERM")).toMatchObject({ code: 0, stderr: "" });
});
