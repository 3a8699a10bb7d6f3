import { expect, test } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../cluster/kube/cache.ts";
import type { Client, Patch } from "../../../cluster/kube/client.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import type { MachineConfig } from "../../../domain/machine-config/api.ts";
import { annotations, type NodeUpdate, updateOf } from "../../../domain/rollout/node-annotations.ts";
import type { Json } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { applyMergePatch } from "../../../language/patch/merge-patch.ts";
import { serialQueue } from "../../host/serial-queue.ts";
import type { CommandResult } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { MemoryHost } from "../../host/memory-host.ts";
import { NodeUpdater } from "./node-updater.ts";
import { updateController } from "./update-controller.ts";

const minutes = 60_000;

/** A node, its Node on a server, and an agent that can be restarted. */
class World {
  readonly clock = new VirtualClock();
  readonly configs = new Map<string, MachineConfig>();
  /** Times at which a config was asked for. */
  readonly asked: number[] = [];
  reboots = 0;
  isKilledAtReboot = false;
  readonly host: MemoryHost;
  #node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n", annotations: {} } };
  readonly #handlers = new Set<(event: CacheEvent<KubeObject>) => void>();
  #stop = new AbortController();

  constructor() {
    const reboot = (): CommandResult | Promise<CommandResult> => {
      // As an agent that is killed before systemd has its request.
      if (this.isKilledAtReboot) return new Promise(() => {});
      this.reboots++;
      return { type: "exited", code: 0, stdout: "", stderr: "" };
    };
    this.host = new MemoryHost(new MemoryBase([["/proc/sys/kernel/random/boot_id", "boot\n"]]), [
      ["systemctl", reboot],
    ]);
  }

  get update(): NodeUpdate {
    return updateOf(this.#node.metadata);
  }

  patch(patch: unknown): KubeObject {
    this.#node = applyMergePatch(this.#node as unknown as Json, patch as Json) as unknown as KubeObject;
    for (const handler of this.#handlers) handler({ type: "updated", object: this.#node, before: this.#node });
    return this.#node;
  }

  annotate(name: string, value: string): void {
    this.patch({ metadata: { annotations: { [name]: value } } });
  }

  /** Heartbeats included, which kubelets send every ten seconds. */
  async pass(ms: number): Promise<void> {
    for (let past = 0; past < ms; past += 10_000) {
      this.annotate("heartbeat", String(this.clock.now()));
      await this.clock.advance(10_000);
    }
  }

  /** Ends the one that runs. */
  startAgent(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#handlers.clear();
    const client = {
      get: async (_: unknown, name: string) => {
        if (name !== "cluster") this.asked.push(this.clock.now());
        const found = this.configs.get(name);
        if (!found) throw new ApiError({ code: 404, reason: "NotFound", message: "not found", details: { name } });
        return found;
      },
      patch: async (_: unknown, _name: string, { patch }: Patch & { patch?: unknown }) => this.patch(patch),
    } as unknown as Client;
    const nodes = {
      synced: true,
      whenSynced: async () => {},
      get: () => this.#node,
      list: () => [this.#node],
      subscribe: (handler: (event: CacheEvent<KubeObject>) => void) => {
        this.#handlers.add(handler);
        handler({ type: "added", object: this.#node });
        return () => this.#handlers.delete(handler);
      },
    } as unknown as Informer;
    const updater = new NodeUpdater({ host: this.host, exclusive: serialQueue() });
    void updateController({ client, nodes, node: "n", updater, clock: this.clock }).run(this.#stop.signal);
  }
}

const config = (name: string, storage: object): MachineConfig =>
  ({ metadata: { name }, spec: { config: { ignition: { version: "3.5.0" }, storage } } }) as unknown as MachineConfig;

test("a config that fails is tried once more after a while, whatever happens to the Node, and its reason stays", async () => {
  const world = new World();
  // A path that the policy lets be changed without a drain, of a user that the node does not have.
  const file = { path: "/etc/nmstate/openshift/a", user: { name: "nobody-here" }, contents: { source: "data:,x" } };
  world.configs.set("v1", config("v1", { files: [file] }));
  world.annotate(annotations.desiredConfig, "v1");
  world.startAgent();
  const failures = async (): Promise<number> => (await updaterOf(world).configs()).pending?.failures ?? 0;
  await world.pass(20_000);
  expect(await failures()).toBe(1);
  const reason = expect.stringContaining('the node has no user "nobody-here"');
  expect(world.update).toMatchObject({ state: "Degraded", reason });
  await world.pass(20_000);
  expect(world.update).toMatchObject({ state: "Degraded", reason });
  await world.pass(60 * minutes);
  expect(await failures()).toBe(2);
  expect(world.update).toMatchObject({ state: "Degraded", reason });
});

test("a config that was deleted and is created again is no failure of a node that waits for its drain (machine-config W-4)", async () => {
  const world = new World();
  const states = new Set<string>();
  world.annotate(annotations.desiredConfig, "v1");
  world.startAgent();
  for (let past = 0; past < 20_000; past += 10_000) {
    await world.pass(10_000);
    states.add(world.update.state);
  }
  world.configs.set("v1", config("v1", {}));
  await world.pass(40_000);
  expect([...states]).toEqual([""]);
  expect(world.update).toMatchObject({ state: "Done", current: "v1", reason: "" });
});

test("the config that a node has may be deleted: the node has a copy, and goes on to the next (machine-config W-4)", async () => {
  const world = new World();
  // A path that the policy lets be changed without a drain.
  const file = (text: string): object => ({ path: "/etc/nmstate/openshift/a", contents: { source: `data:,${text}` } });
  world.configs.set("v1", config("v1", { files: [file("x")] }));
  world.annotate(annotations.desiredConfig, "v1");
  world.startAgent();
  await world.pass(20_000);
  expect(world.update).toMatchObject({ state: "Done", current: "v1" });
  world.configs.delete("v1");
  world.startAgent();
  await world.pass(20_000);
  expect(world.update).toMatchObject({ state: "Done", current: "v1", reason: "" });
  world.configs.set("v2", config("v2", {}));
  world.annotate(annotations.desiredConfig, "v2");
  await world.pass(20_000);
  expect(world.update).toMatchObject({ state: "Done", current: "v2", reason: "" });
  expect(await world.host.read("/etc/nmstate/openshift/a")).toMatchObject({ type: "missing" });
});

test("a config that does not exist is asked for again with waits that grow to a quarter of an hour", async () => {
  const world = new World();
  world.annotate(annotations.desiredConfig, "v1");
  world.startAgent();
  await world.pass(180 * minutes);
  const waits = world.asked.slice(1).map((at, index) => at - world.asked[index]!);
  expect(waits.length).toBeLessThan(25);
  for (const [index, wait] of waits.entries()) {
    const middle = Math.min(30_000 * 2 ** index, 15 * minutes);
    expect(wait).toBeGreaterThanOrEqual(middle * 0.75);
    expect(wait).toBeLessThanOrEqual(middle * 1.25 + 10_000);
  }
  expect(world.update).toMatchObject({ state: "Degraded", reason: "MachineConfig v1 does not exist" });
  world.configs.set("v2", config("v2", {}));
  world.annotate(annotations.desiredConfig, "v2");
  await world.pass(10_000);
  expect(world.update).toMatchObject({ state: "Done", current: "v2", reason: "" });
});

test("a node is asked to restart once, by the next agent too, and again where it did not", async () => {
  const world = new World();
  world.configs.set("v1", config("v1", { files: [{ path: "/etc/a", contents: { source: "data:,x" } }] }));
  world.annotate(annotations.desiredConfig, "v1");
  world.startAgent();
  await world.pass(10_000);
  world.annotate(annotations.lastAppliedDrain, "drain-v1");
  await world.pass(30_000);
  expect(world.update.isRebooting).toBe(true);
  expect(world.reboots).toBe(1);
  for (let restarts = 0; restarts < 3; restarts++) {
    world.startAgent();
    await world.pass(30_000);
  }
  expect(world.reboots).toBe(1);
  await world.pass(5 * minutes);
  expect(world.reboots).toBe(2);
  await world.pass(6 * minutes);
  expect(world.reboots).toBe(2);
  await world.pass(4 * minutes);
  expect(world.reboots).toBe(3);
});

test("an agent that was killed before systemd had its request is followed by one that asks within seconds", async () => {
  const world = new World();
  world.configs.set("v1", config("v1", { files: [{ path: "/etc/a", contents: { source: "data:,x" } }] }));
  world.annotate(annotations.desiredConfig, "v1");
  world.isKilledAtReboot = true;
  world.startAgent();
  await world.pass(10_000);
  world.annotate(annotations.lastAppliedDrain, "drain-v1");
  await world.pass(10_000);
  expect((await updaterOf(world).configs()).pending?.asked?.times).toBe(1);
  world.isKilledAtReboot = false;
  world.startAgent();
  await world.pass(30_000);
  expect(world.reboots).toBe(1);
  // From then on it waits as long as ever.
  await world.pass(4 * minutes);
  expect(world.reboots).toBe(1);
});

function updaterOf({ host }: World): NodeUpdater {
  return new NodeUpdater({ host, exclusive: serialQueue() });
}
