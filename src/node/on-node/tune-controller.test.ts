import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport, Engine } from "../engine/engine.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { findBootId } from "../host/boot-id.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { ApiError } from "../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef, Patch } from "../../cluster/kube/client.ts";
import {
  apiVersion,
  bootArgumentsAnnotation,
  inputsAnnotation,
  type Profile,
  type ProfileStatus,
  type Protocol,
} from "../../domain/node-tuning/api.ts";
import type { Json } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { applyMergePatch } from "../../language/patch/merge-patch.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { NodeEngines } from "./node-engines.ts";
import { cpusInForce } from "./cpus-in-force.ts";
import { NodeHardware } from "./node-hardware.ts";
import { NodeTuner } from "./node-tuner.ts";
import { tuneController } from "./tune-controller.ts";
import { loadRecord, recordPath, type TuningRecord } from "./tuning-record.ts";

const namespace = "tuning";
const minute = 60_000;
let end = new AbortController();
afterEach(() => end.abort());

/** The record of a node that was tuned under a name; earlier versions recorded none. */
function recordOf(node: string | undefined): TuningRecord {
  const spec = { config: { tunedProfile: "p" }, profile: [] };
  return { ...(node !== undefined && { node }), bootId: "b", spec, bootcmdline: "", complete: true };
}

/** An API server with at most one Profile, an informer, and an engine that records its calls. */
class World {
  readonly clock = new VirtualClock();
  readonly done: string[] = [];
  readonly statuses: ProfileStatus[] = [];
  readonly requests: string[] = [];
  readonly logged: { fields: object; message: string }[] = [];
  node: KubeObject | undefined = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", annotations: { other: "1" } },
  };
  /** The error of the engine. */
  failing: string | undefined;
  /** The status code of every answer. */
  away: number | undefined;
  /** A Profile that the server has and the cache has not. */
  hidden: Profile | undefined;
  /** Whether the CRD of Profiles has no hardware. */
  dropsHardware = false;
  isSettled = false;
  readonly host: MemoryHost;
  #version = 0;
  #current: Profile | undefined;
  #notify: (event: CacheEvent<Profile>) => void = () => {};

  constructor(start?: Profile, protocol: Protocol = "documented", record?: TuningRecord) {
    const files: [string, string][] = [["/proc/sys/kernel/random/boot_id", "b\n"]];
    if (record) files.push([recordPath, JSON.stringify({ version: 1, ...record })]);
    this.host = new MemoryHost(new MemoryBase(files));
    end = new AbortController();
    this.#current = start;
    const profiles = {
      whenSynced: async () => {},
      get: (key: string) => (key === `${namespace}/n` ? this.#current : undefined),
      subscribe: (handler: (event: CacheEvent<Profile>) => void) => {
        this.#notify = handler;
        if (this.#current) handler({ type: "added", object: this.#current });
        return () => {};
      },
    } as unknown as Informer<Profile>;
    const { clock, host } = this;
    const engines = new NodeEngines({ host, option: "native", native: this.#engine() });
    const tuner = new NodeTuner({ node: "n", host, engines, clock, resyncIntervalMs: 10 * minute, log: noLog });
    const controller = tuneController({
      client: this.#client(),
      profiles,
      namespace,
      node: "n",
      tuner,
      hardware: new NodeHardware(host, noLog),
      cpus: () => cpusInForce(host),
      bootId: () => findBootId(host),
      protocol,
      settled: () => (this.isSettled = true),
      clock,
      log: this.#log(),
    });
    controller.queue.add(`${namespace}/n`);
    void controller.run(end.signal);
  }

  change(profile: Profile | undefined): void {
    const before = this.#current;
    this.#current = profile;
    if (!profile) this.#notify({ type: "deleted", object: before! });
    else this.#notify(before ? { type: "updated", object: profile, before } : { type: "added", object: profile });
  }

  #log(): Log {
    const write = (fields: object, message: string): void => void this.logged.push({ fields, message });
    const log: Log = { ...noLog, warn: write, error: write, child: () => log };
    return log;
  }

  #client(): Client {
    const ask = (what: string): void => {
      this.requests.push(what);
      if (this.away !== undefined) throw new ApiError({ code: this.away, reason: "Away", message: "away" });
    };
    return {
      get: async (of: KindRef) => {
        ask(`get ${of.kind}`);
        const found = of.kind === "Node" ? this.node : (this.#current ?? this.hidden);
        if (!found) throw new ApiError({ code: 404, reason: "NotFound", message: "gone" });
        return found;
      },
      patch: async (of: KindRef, _name: string, { patch }: Extract<Patch, { type: "merge" }>) => {
        ask(`patch ${of.kind}`);
        if (of.kind === "Node") {
          Object.assign(this.node!.metadata.annotations!, (patch as KubeObject).metadata.annotations);
          return this.node;
        }
        const { status } = patch as { status: ProfileStatus };
        if (this.dropsHardware) delete status.hardware;
        if (Object.keys(status).length === 0) return this.#current;
        const before = (this.#current!.status ?? {}) as unknown as Json;
        const after = applyMergePatch(before, status as unknown as Json) as unknown as ProfileStatus;
        this.statuses.push(after);
        const metadata = { ...this.#current!.metadata, resourceVersion: String(++this.#version) };
        this.change({ ...this.#current!, metadata, status: after });
        return this.#current;
      },
    } as unknown as Client;
  }

  #engine(): Engine {
    return {
      name: "native",
      apply: async (profile): Promise<ApplyReport> => {
        this.done.push(`apply ${profile.profile}`);
        if (this.failing !== undefined) throw new Error(this.failing);
        return { settings: [], restored: [] };
      },
      verify: async () => ({ differences: [] }),
      rollback: async () => {
        this.done.push("rollback");
        return { restored: [] };
      },
    };
  }
}

function profile(name: string, generation = 1, more: Partial<Profile> = {}): Profile {
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", namespace, generation, uid: "u" },
    spec: { config: { tunedProfile: name }, profile: [{ name, data: "[bootloader]\ncmdline=quiet\n" }] },
    ...more,
  };
}

describe("the agent of a node", () => {
  test("applies its Profile once and ignores its own status writes", async () => {
    const w = new World(profile("p"));
    await w.clock.advance(0);
    expect(w.done).toEqual(["apply p"]);
    expect(w.statuses).toMatchObject([{ tunedProfile: "p", bootcmdline: "quiet", observedGeneration: 1 }]);
    await w.clock.advance(60 * minute);
    expect([w.done.length, w.statuses.length]).toEqual([1, 1]);
  });

  test("applies changes of spec, and of several in a row the last", async () => {
    const w = new World(profile("p"));
    await w.clock.advance(0);
    w.change(profile("q", 2));
    w.change(profile("r", 3));
    await w.clock.advance(0);
    expect(w.done).toEqual(["apply p", "apply r"]);
    expect(w.statuses.at(-1)).toMatchObject({ tunedProfile: "r", observedGeneration: 3 });
  });

  test("corrects a status that another client wrote, without tuning again", async () => {
    const w = new World(profile("p"));
    await w.clock.advance(0);
    w.change(profile("p", 1, { status: { tunedProfile: "lie" } }));
    await w.clock.advance(0);
    expect(w.done).toEqual(["apply p"]);
    expect(w.statuses).toHaveLength(2);
    expect(w.statuses[1]).toMatchObject({ tunedProfile: "p" });
  });

  test("rolls back when its Profile is deleted, or is gone when the agent starts", async () => {
    const w = new World();
    await w.clock.advance(0);
    w.change(profile("p"));
    await w.clock.advance(0);
    w.change(undefined);
    await w.clock.advance(0);
    expect(w.done).toEqual(["rollback", "apply p", "rollback"]);
  });

  test.each<{ name: string; record: TuningRecord | undefined; hasNode: boolean; done: string[] }>([
    { name: "of another node's name", record: recordOf("other"), hasNode: true, done: [] },
    { name: "without a name, and no such Node", record: recordOf(undefined), hasNode: false, done: [] },
    { name: "without a name", record: recordOf(undefined), hasNode: true, done: ["rollback"] },
    { name: "of its name", record: recordOf("n"), hasNode: false, done: ["rollback"] },
  ])("rolls back without a Profile where its name is right: with a record $name", async ({ record, hasNode, done }) => {
    const w = new World(undefined, "documented", record);
    if (!hasNode) w.node = undefined;
    await w.clock.advance(minute);
    expect(w.done).toEqual(done);
    expect(await loadRecord(w.host)).toEqual(done.length === 0 ? record : undefined);
  });

  test("says in one line per retry that there is no such Node, and backs off", async () => {
    const w = new World();
    w.node = undefined;
    await w.clock.advance(10 * minute);
    const message =
      'there is no Node "n" in the cluster: nothing is changed; pass --node with a name that "kubectl get nodes" lists';
    expect(w.logged).toEqual(w.logged.map(() => ({ fields: {}, message })));
    expect(w.logged.length).toBeGreaterThan(5);
    expect(w.logged.length).toBeLessThan(20);
  });

  test("is settled without a Profile only once it knows that there is none", async () => {
    const w = new World();
    w.hidden = profile("p");
    await w.clock.advance(minute);
    expect(w.isSettled).toBe(false);
    w.hidden = undefined;
    await w.clock.advance(minute);
    expect(w.isSettled).toBe(true);
  });

  test("applies no Profile to a node that was tuned under another name", async () => {
    const w = new World(profile("p"), "documented", recordOf("other"));
    await w.clock.advance(0);
    expect(w.done).toEqual([]);
    expect(w.statuses[0]?.conditions?.[0]?.message).toBe(
      `this node was tuned as Node "other" (${recordPath}), not as "n": nothing is changed; check --node, or run "attune tuned rollback"`,
    );
  });

  test.each([
    ["the server is unreachable", { away: 0 }],
    ["the server forbids the request", { away: 403 }],
    ["the server has it", { hidden: profile("p") }],
  ])("keeps settings while its Profile is not in the cache and %s, and backs off", async (_, state) => {
    const w = new World(profile("p"));
    await w.clock.advance(0);
    Object.assign(w, state);
    w.requests.length = 0;
    w.change(undefined);
    await w.clock.advance(10 * minute);
    expect(w.done).toEqual(["apply p"]);
    expect(w.requests.length).toBeGreaterThan(5);
    expect(w.requests.length).toBeLessThan(20);
    Object.assign(w, { away: undefined, hidden: undefined });
    await w.clock.advance(minute);
    expect(w.done).toEqual(["apply p", "rollback"]);
  });

  test("ignores the Profiles of other nodes (W-2)", async () => {
    const w = new World(profile("p"));
    await w.clock.advance(0);
    w.change({ ...profile("p"), metadata: { name: "other", namespace, generation: 9 } });
    await w.clock.advance(0);
    expect(w.done).toEqual(["apply p"]);
  });

  test("reports in the status that the engine failed, and retries until it succeeds", async () => {
    const w = new World(profile("p"));
    w.failing = "read the journal of originals: broken";
    await w.clock.advance(10 * minute);
    expect(w.statuses).toHaveLength(1);
    expect(w.statuses[0]?.conditions).toMatchObject([
      { type: "Applied", status: "False", message: "read the journal of originals: broken" },
      { type: "Degraded", status: "True", reason: "TunedError" },
    ]);
    expect(w.done.length).toBeLessThan(20);
    w.failing = undefined;
    await w.clock.advance(minute);
    expect(w.statuses.at(-1)?.conditions).toMatchObject([{ status: "True" }, { status: "False" }]);
  });

  test("tunes once while the server is unavailable, and reports when it is back", async () => {
    const w = new World(profile("p"));
    w.away = 503;
    await w.clock.advance(10 * minute);
    expect(w.done).toEqual(["apply p"]);
    expect(w.requests.length).toBeLessThan(20);
    w.away = undefined;
    await w.clock.advance(minute);
    expect(w.statuses).toMatchObject([{ tunedProfile: "p" }]);
    expect(w.done).toEqual(["apply p"]);
  });

  test("reports an invalid profile, and retries at the resync interval", async () => {
    const w = new World(profile("p", 1, { spec: { config: { tunedProfile: "p" } } }));
    await w.clock.advance(60 * minute);
    expect(w.done).toEqual([]);
    expect(w.statuses).toHaveLength(1);
    expect(w.statuses[0]?.conditions?.[0]?.message).toBe('profile "p" does not exist');
  });
});

describe("under the shipped protocol", () => {
  const annotated = (name: string, inputs: string, generation = 1): Profile => {
    const made = profile(name, generation);
    made.metadata.annotations = { [inputsAnnotation]: inputs };
    return made;
  };

  test("the Node has the boot arguments and their inputs, written when they differ", async () => {
    const w = new World(annotated("p", "a:1"), "shipped");
    await w.clock.advance(0);
    expect(w.node?.metadata.annotations).toEqual({
      other: "1",
      [bootArgumentsAnnotation]: "quiet",
      [inputsAnnotation]: "a:1",
    });
    w.change({ ...annotated("p", "a:2"), status: w.statuses[0] });
    await w.clock.advance(0);
    expect(w.node?.metadata.annotations?.[inputsAnnotation]).toBe("a:2");
    expect(w.requests.filter((request) => request === "patch Node")).toHaveLength(2);
    expect(w.done).toEqual(["apply p"]);
  });

  test("a Node that has them already is not written", async () => {
    const w = new World(annotated("p", "a:1"), "shipped");
    Object.assign(w.node?.metadata.annotations ?? {}, {
      [bootArgumentsAnnotation]: "quiet",
      [inputsAnnotation]: "a:1",
    });
    await w.clock.advance(60 * minute);
    expect(w.requests).toEqual(["patch Profile", "get Node"]);
  });

  test("inputs of a profile that is not in force are not reported (W-6)", async () => {
    const w = new World(annotated("p", "a:1"), "shipped");
    await w.clock.advance(0);
    w.failing = "no";
    w.change(annotated("q", "a:2", 2));
    await w.clock.advance(0);
    expect(w.node?.metadata.annotations?.[inputsAnnotation]).toBe("a:1");
  });
});

describe("the hardware of a node", () => {
  const cpus = "/sys/devices/system/cpu";

  function boot({ host }: World): void {
    host.put("/proc/sys/kernel/arch", "aarch64\n");
    host.put("/proc/meminfo", "MemTotal: 4096 kB\n");
    host.put(`${cpus}/online`, "0-1\n");
    for (const cpu of [0, 1]) host.put(`${cpus}/cpu${cpu}/topology/core_id`, `${cpu}\n`);
  }
  const both = {
    architecture: "arm64",
    numaNodes: [{ id: 0, memory: "4096Ki", cores: ["0/0:0", "0/1:1"] }],
    offline: "",
  };

  test.each<Protocol>(["documented", "shipped"])(
    "is reported with the first status and not again (%s)",
    async (protocol) => {
      const w = new World(profile("p"), protocol);
      boot(w);
      await w.clock.advance(60 * minute);
      expect(w.statuses).toMatchObject([{ tunedProfile: "p", hardware: both }]);
      w.change(profile("q", 2, { status: w.statuses[0] }));
      await w.clock.advance(0);
      expect(w.statuses).toHaveLength(2);
      expect(w.statuses[1]).toMatchObject({ tunedProfile: "q", hardware: both });
    },
  );

  test("is not reported if the Profile has it already", async () => {
    const w = new World(profile("p"));
    boot(w);
    await w.clock.advance(0);
    const again = new World(profile("p", 1, { status: w.statuses[0] }));
    boot(again);
    await again.clock.advance(60 * minute);
    expect(again.requests).toEqual([]);
    expect(again.done).toEqual(["apply p"]);
  });

  test("is reported again at the resync after a CPU went offline", async () => {
    const w = new World(profile("p"));
    boot(w);
    await w.clock.advance(0);
    w.host.put(`${cpus}/online`, "0\n");
    w.host.put(`${cpus}/cpu1/online`, "0\n");
    await w.clock.advance(10 * minute);
    expect(w.statuses).toHaveLength(2);
    expect(w.statuses[1]?.hardware).toMatchObject({ numaNodes: [{ cores: ["0/0:0"] }], offline: "1" });
    await w.clock.advance(60 * minute);
    expect([w.statuses.length, w.done.length]).toEqual([2, 1]);
  });

  test("stays as reported while it cannot be read", async () => {
    const status = { tunedProfile: "before", hardware: both };
    const w = new World(profile("p", 1, { status }));
    const list = w.host.list.bind(w.host);
    w.host.list = (path) => (path.startsWith("/sys/") ? Promise.reject(new Error("no folder today")) : list(path));
    await w.clock.advance(0);
    expect(w.statuses).toMatchObject([{ tunedProfile: "p", hardware: both }]);
    expect(w.done).toEqual(["apply p"]);
  });

  test("is not sent again to a server that drops it", async () => {
    const w = new World(profile("p"));
    boot(w);
    w.dropsHardware = true;
    await w.clock.advance(0);
    w.requests.length = 0;
    await w.clock.advance(60 * minute);
    expect(w.requests).toEqual([]);
    expect(w.statuses).toHaveLength(1);
    w.change({ ...profile("q", 2), metadata: { ...profile("q", 2).metadata, uid: "new" } });
    w.dropsHardware = false;
    await w.clock.advance(0);
    expect(w.statuses.at(-1)).toMatchObject({ tunedProfile: "q", hardware: both });
  });
});
