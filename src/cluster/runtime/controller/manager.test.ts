import { describe, expect, test } from "vitest";
import type { Informer } from "../../kube/cache.ts";
import { pause, whenAborted } from "../clock.ts";
import { LeaderElection } from "../leader/leader-election.ts";
import { LeadershipLostError } from "../leader/leader-gate.ts";
import type { Lease, LeaseStore, LeaseSpec } from "../leader/lease.ts";
import { Manager, type ManagerOptions } from "./manager.ts";
import type { Runnable } from "./runnable-group.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";

const nodes = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false };

function setUp(options: ManagerOptions = {}, clock = new VirtualClock(), log: string[] = []) {
  const manager = new Manager({ clock, ...options });
  const stop = new AbortController();
  /** Logs its start and its stop, which takes a while. */
  const runnable = (name: string, stopMs = 0): Runnable => ({
    name,
    async run(signal) {
      log.push(`+${name}`);
      await pause(clock, Infinity, signal);
      await pause(clock, stopMs);
      log.push(`-${name}`);
    },
  });
  const informer = (name: string): Informer =>
    ({ ...runnable(name), synced: name !== "behind" }) as unknown as Informer;
  const run = () => {
    const outcome = { value: "running" as unknown };
    void manager.run(stop.signal).then(
      () => (outcome.value = "stopped"),
      (error: unknown) => (outcome.value = error),
    );
    return outcome;
  };
  return { clock, log, manager, stop, runnable, informer, run };
}

/** A Lease that the first request gets, until it fails. */
function leaseOf(log: string[]): LeaseStore & { broken: boolean } {
  let lease: Lease | undefined;
  const write = async (next: Lease): Promise<Lease> => {
    if (store.broken) throw new Error("unreachable");
    if (next.spec?.holderIdentity !== lease?.spec?.holderIdentity)
      log.push(`lease: ${next.spec?.holderIdentity ?? "free"}`);
    return (lease = next);
  };
  const store = {
    broken: false,
    get: async () => lease,
    create: (spec: LeaseSpec) =>
      write({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec }),
    update: write,
    follow: (_onChange: unknown, signal: AbortSignal) => whenAborted(signal),
  };
  return store;
}

describe("manager", () => {
  test("starts informers, parts of every replica, then parts of the leader; stops in reverse", async () => {
    const { clock, log, manager, stop, runnable, informer, run } = setUp();
    manager.add(runnable("controller", 3));
    manager.add(runnable("webhook", 2), { on: "everywhere" });
    manager.informer(nodes, {}, () => informer("informer"));
    const outcome = run();
    await clock.advance(10);
    expect(log).toEqual(["+informer", "+webhook", "+controller"]);
    stop.abort();
    await clock.advance(10);
    expect(log.slice(3)).toEqual(["-controller", "-webhook", "-informer"]);
    expect(outcome.value).toBe("stopped");
  });

  test("only the leader runs leader parts, and the lease is released after they ended", async () => {
    const log: string[] = [];
    const clock = new VirtualClock();
    const election = new LeaderElection({ identity: "me", lease: leaseOf(log), clock });
    const { manager, runnable, stop, run } = setUp({ election }, clock, log);
    manager.add(runnable("controller"));
    const outcome = run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(0);
    expect(log).toEqual(["lease: me", "+controller", "-controller", "lease: free"]);
    expect(outcome.value).toBe("stopped");
  });

  test("a lost lease stops all parts and rejects", async () => {
    const clock = new VirtualClock();
    const lease = leaseOf([]);
    const election = new LeaderElection({ identity: "me", lease, clock });
    const { log, manager, runnable, run } = setUp({ election }, clock);
    manager.add(runnable("webhook"), { on: "everywhere" });
    const outcome = run();
    await clock.advance(0);
    lease.broken = true;
    await clock.advance(16_000);
    expect(outcome.value).toBeInstanceOf(LeadershipLostError);
    expect(log).toEqual(["+webhook", "-webhook"]);
  });

  test("the failure of one part stops all others and rejects", async () => {
    const { clock, log, manager, runnable, informer, run } = setUp();
    manager.informer(nodes, {}, () => informer("informer"));
    manager.add(runnable("controller"));
    const cause = new Error("address in use");
    manager.add({ name: "webhook", run: () => Promise.reject(cause) }, { on: "everywhere" });
    const outcome = run();
    await clock.advance(0);
    expect(outcome.value).toEqual(new Error("run webhook: address in use", { cause }));
    expect(log).toEqual(["+informer", "+controller", "-controller", "-informer"]);
  });

  test("a part that ends by itself is not a failure", async () => {
    const { clock, manager, run } = setUp();
    manager.add({ name: "once", run: async () => {} });
    const outcome = run();
    await clock.advance(1000);
    expect(outcome.value).toBe("running");
  });

  test("a part that does not stop is named after the grace period", async () => {
    const { clock, manager, stop, runnable, run } = setUp({ stopGraceMs: 1000 });
    manager.add(runnable("stubborn", 5000));
    manager.add(runnable("webhook"), { on: "everywhere" });
    const outcome = run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(1000);
    expect(outcome.value).toEqual(new Error("stop within 1 s: still running: stubborn, webhook"));
  });

  test("informers are shared by kind and selection, also while running", async () => {
    const { clock, log, manager, informer, run } = setUp();
    const wish = (name: string, selection = {}) => manager.informer(nodes, selection, () => informer(name));
    const first = wish("all");
    expect(wish("again")).toBe(first);
    expect(wish("workers", { labelSelector: "worker" })).not.toBe(first);
    run();
    await clock.advance(0);
    wish("late", { namespace: "ns" });
    wish("never", { namespace: "ns" });
    await clock.advance(0);
    expect(log).toEqual(["+all", "+workers", "+late"]);
  });

  test("is healthy at once, and ready when informers are synced and checks pass", async () => {
    const metrics = { contentType: "text/plain", text: async () => "up 1\n" };
    const { clock, manager, stop, informer, run } = setUp({ probeAddress: "127.0.0.1:0", metrics });
    const late: { synced: boolean } = manager.informer(nodes, {}, () => informer("behind"));
    const outcome = run();
    while (manager.probeAddress === undefined) await clock.advance(0);
    const get = async (path: string): Promise<string> => (await fetch(`http://${manager.probeAddress}${path}`)).text();
    expect(await get("/healthz")).toBe("ok");
    expect(await get("/readyz")).toContain("[-]informers failed: 1 of 1 informers not synced");
    late.synced = true;
    expect(await get("/readyz")).toBe("ok");
    manager.addReadyCheck("webhook", () => {
      throw new Error("no certificate yet");
    });
    expect(await get("/readyz")).toContain("[-]webhook failed: no certificate yet");
    expect(await get("/metrics")).toBe("up 1\n");
    stop.abort();
    while (outcome.value === "running") await clock.advance(1);
    expect(outcome.value).toBe("stopped");
  });

  test("an address in use fails the start", async () => {
    const { clock, manager, run, runnable, log } = setUp({ probeAddress: "nonsense" });
    manager.add(runnable("controller"));
    const outcome = run();
    while (outcome.value === "running") await clock.advance(0);
    expect(outcome.value).toEqual(new Error('serve probes on "nonsense": not of the form host:port'));
    expect(log).toEqual([]);
  });
});
