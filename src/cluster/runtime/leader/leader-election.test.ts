import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api-error.ts";
import type { Client } from "../../kube/client.ts";
import { type Clock, pause, whenAborted } from "../clock.ts";
import { LeaderElection, type LeaderElectionOptions } from "./leader-election.ts";
import { LeadershipLostError, leadersOnly } from "./leader-gate.ts";
import type { Lease, LeaseStore } from "./lease.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";

interface Connection extends LeaseStore {
  /** `deaf`: requests work, but the watch delivers nothing. */
  fault: "none" | "refuse" | "hang" | "swallow" | "deaf";
  calls: string[];
  /** Responses and events that were held back arrive. */
  answer: () => void;
}

/** A Lease on a server, and the access of each candidate to it. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;
  readonly #watches = new Set<(lease: Lease, isDeleted: boolean) => void>();

  connect(clock: Clock): Connection {
    const waiting: (() => void)[] = [];
    const request = async <T>(act: () => T): Promise<T> => {
      if (store.fault === "refuse") throw new ApiError({ code: 0, reason: "Unreachable", message: "refused" });
      if (store.fault === "hang") await new Promise<void>((resolve) => waiting.push(resolve));
      const result = act();
      if (store.fault === "swallow") await new Promise<void>((resolve) => waiting.push(resolve));
      return result;
    };
    const call = async <T>(name: string, act: () => T, { timeoutMs }: { timeoutMs: number }): Promise<T> => {
      store.calls.push(name);
      let cancel = (): void => {};
      const timeout = new Promise<never>((_, reject) => {
        cancel = clock.after(timeoutMs, () =>
          reject(new ApiError({ code: 0, reason: "Timeout", message: "timed out" })),
        );
      });
      return Promise.race([request(act), timeout]).finally(cancel);
    };
    const store: Connection = {
      fault: "none",
      calls: [],
      follow: async (onChange, signal) => {
        const deliver = (...change: Parameters<typeof onChange>): void =>
          void (store.fault === "none" ? onChange(...change) : waiting.push(() => onChange(...change)));
        this.#watches.add(deliver);
        if (this.lease) deliver(this.lease, false);
        await whenAborted(signal);
        this.#watches.delete(deliver);
      },
      answer: () => waiting.splice(0).forEach((resolve) => resolve()),
      get: (options) => call("get", () => this.lease, options),
      create: (spec, options) =>
        call(
          "create",
          () => {
            if (this.lease) throw new ApiError({ code: 409, reason: "AlreadyExists", message: "exists" });
            return this.#write({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: {}, spec });
          },
          options,
        ),
      update: (lease, options) =>
        call(
          "update",
          () => {
            if (!this.lease) throw new ApiError({ code: 404, reason: "NotFound", message: "not found" });
            if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
              throw new ApiError({ code: 409, reason: "Conflict", message: "modified" });
            return this.#write(lease);
          },
          options,
        ),
    };
    return store;
  }

  delete(): void {
    const metadata = { ...this.lease?.metadata, resourceVersion: String(++this.#version) };
    const last = { ...this.lease!, metadata };
    this.lease = undefined;
    this.#announce(last, true);
  }

  #write(lease: Lease): Lease {
    const written = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    this.lease = written;
    this.#announce(written, false);
    return written;
  }

  #announce(lease: Lease, isDeleted: boolean): void {
    for (const deliver of this.#watches) queueMicrotask(() => deliver(lease, isDeleted));
  }
}

function candidate(server: LeaseServer, clock: Clock, identity: string, options: Partial<LeaderElectionOptions> = {}) {
  const store = server.connect(clock);
  const election = new LeaderElection({ identity, lease: store, clock, random: () => 0, ...options });
  const stop = new AbortController();
  const log: string[] = [];
  const ended = election
    .lead(stop.signal, async (signal) => {
      log.push("leads");
      await new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve());
      });
      log.push(signal.reason instanceof LeadershipLostError ? "lost" : "stopped");
    })
    .then(
      () => log.push("ended"),
      (error: unknown) => log.push(error instanceof LeadershipLostError ? "LeadershipLostError" : String(error)),
    );
  return { store, election, stop, log, ended };
}

describe("leader election", () => {
  test("the first candidate creates the lease and renews it with one request each period", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    expect(a.log).toEqual(["leads"]);
    expect(server.lease?.spec).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 20,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    await clock.advance(24_000);
    expect(a.store.calls).toEqual(["get", "create", "update", "update", "update"]);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:24.000000Z",
    });
  });

  test("a second candidate waits as long as the first renews, and takes over at once when it is released", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const leaders: string[] = [];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    const b = candidate(server, clock, "b", { onNewLeader: (identity) => leaders.push(identity) });
    await clock.advance(120_000);
    expect(b.log).toEqual([]);
    a.stop.abort();
    await clock.advance(0);
    expect(a.log).toEqual(["leads", "stopped", "ended"]);
    expect(b.log).toEqual(["leads"]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 20 });
    expect(leaders).toEqual(["a", "b"]);
  });

  test("in an hour a leader sends 7.5 requests a minute, and a candidate none", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    await clock.advance(0);
    for (const { store } of [a, b]) store.calls.length = 0;
    await clock.advance(3_600_000);
    expect([a.store.calls.length, b.store.calls.length]).toEqual([450, 0]);
  });

  test("a candidate whose watch delivers nothing reads the lease when it would expire, and takes it once it has", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a", { releaseOnStop: false });
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    b.store.fault = "deaf";
    await clock.advance(60_000);
    expect([b.log, b.store.calls]).toEqual([[], ["get", "get", "get", "get"]]);
    a.stop.abort();
    await clock.advance(40_000);
    expect(b.log).toEqual(["leads"]);
  });

  test("a lease that was deleted is lost at once, and another candidate creates it", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    await clock.advance(1_000);
    server.delete();
    await clock.advance(0);
    expect(a.log).toEqual(["leads", "lost", "LeadershipLostError"]);
    expect([b.log, server.lease?.spec?.holderIdentity]).toEqual([["leads"], "b"]);
  });

  test("a lease that was deleted is lost with the next renewal, if the watch delivers nothing", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    a.store.fault = "deaf";
    server.lease = undefined;
    await clock.advance(8_000);
    expect(a.log).toEqual(["leads", "lost", "LeadershipLostError"]);
  });

  test("events that arrive late neither lose a lease nor steal one", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    b.store.fault = "deaf";
    await clock.advance(30_000);
    a.stop.abort();
    await clock.advance(30_000);
    expect(b.log).toEqual(["leads"]);
    // Those of the former leader's renewals among them.
    b.store.fault = "none";
    b.store.answer();
    await clock.advance(60_000);
    expect([b.log, server.lease?.spec?.holderIdentity]).toEqual([["leads"], "b"]);
  });

  test("a candidate that must not lead yet does not touch the lease", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    let allow = (): void => {};
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const a = candidate(server, clock, "a", {
      untilMayLead: (signal) => Promise.race([allowed, whenAborted(signal)]),
    });
    const b = candidate(server, clock, "b", { untilMayLead: (signal) => whenAborted(signal) });
    await clock.advance(60_000);
    expect([a.store.calls, b.store.calls]).toEqual([[], []]);
    allow();
    b.stop.abort();
    await clock.advance(0);
    expect([a.log, b.log, b.store.calls]).toEqual([["leads"], ["ended"], []]);
  });

  test("without release the lease must expire", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a", { releaseOnStop: false });
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    a.stop.abort();
    await clock.advance(19_999);
    expect(b.log).toEqual([]);
    await clock.advance(1);
    expect(b.log).toEqual(["leads"]);
  });

  test.each(["refuse", "hang", "swallow"] as const)(
    "a leader whose requests %s stops after the renew deadline, before another may lead",
    async (fault) => {
      const [clock, server] = [new VirtualClock(), new LeaseServer()];
      const begin = clock.monotonic();
      const a = candidate(server, clock, "a");
      await clock.advance(0);
      const b = candidate(server, clock, "b");
      a.store.fault = fault;
      await clock.advance(15_999);
      expect([a.election.gate.open, a.log]).toEqual([true, ["leads"]]);
      await clock.advance(1);
      expect([a.election.gate.open, a.log]).toEqual([false, ["leads", "lost", "LeadershipLostError"]]);
      // The response to a running request arrives late: it must not restore the lost term.
      a.store.fault = "none";
      a.store.answer();
      await clock.advance(0);
      expect(a.election.gate.open).toBe(false);
      expect(b.log).toEqual([]);
      while (b.log.length === 0) await clock.advance(100);
      expect(clock.monotonic() - begin).toBeGreaterThanOrEqual(20_000);
    },
  );

  test("a deadline that passes while the process sleeps closes the gate before any timer runs", async () => {
    const clock = new VirtualClock();
    let asleepMs = 0;
    const sleepy: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + asleepMs,
      after: (ms, callback) => clock.after(ms, callback),
    };
    const a = candidate(new LeaseServer(), sleepy, "a");
    await clock.advance(0);
    expect(a.election.gate.open).toBe(true);
    asleepMs = 16_000;
    expect(a.election.gate.open).toBe(false);
    expect(() => a.election.gate.check()).toThrow(LeadershipLostError);
  });

  test("wrong wall clocks neither steal nor keep a lease", async () => {
    for (const skewMs of [-3_600_000, 3_600_000]) {
      const [clock, server] = [new VirtualClock(), new LeaseServer()];
      const skewed: Clock = {
        now: () => clock.now() + skewMs,
        monotonic: () => clock.monotonic(),
        after: (ms, callback) => clock.after(ms, callback),
      };
      const a = candidate(server, skewed, "a");
      await clock.advance(0);
      const b = candidate(server, clock, "b");
      await clock.advance(60_000);
      expect(b.log).toEqual([]);
      a.store.fault = "refuse";
      await clock.advance(20_000);
      expect(b.log).toEqual(["leads"]);
    }
  });

  test("a lease that another candidate took is lost at once", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    const thief = server.connect(clock);
    await thief.update(
      { ...server.lease!, spec: { holderIdentity: "thief", leaseDurationSeconds: 15 } },
      { timeoutMs: 1 },
    );
    await clock.advance(0);
    expect(a.log).toEqual(["leads", "lost", "LeadershipLostError"]);
    expect(server.lease?.spec?.holderIdentity).toBe("thief");
  });

  test("a candidate that claims the lease for years has it for five minutes, unless it renews", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const years = { holderIdentity: "thief", leaseDurationSeconds: 2 ** 31 - 1 };
    await server.connect(clock).create(years, { timeoutMs: 1 });
    const a = candidate(server, clock, "a");
    await clock.advance(299_000);
    expect(a.log).toEqual([]);
    await clock.advance(2_000);
    expect(a.log).toEqual(["leads"]);
  });

  test("a label that another client adds to the lease causes a conflict, but does not lose the lease", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const a = candidate(server, clock, "a");
    await clock.advance(0);
    await server
      .connect(clock)
      .update({ ...server.lease!, metadata: { ...server.lease!.metadata, labels: { x: "y" } } }, { timeoutMs: 1 });
    await clock.advance(60_000);
    expect(a.log).toEqual(["leads"]);
    expect(server.lease?.metadata.labels).toEqual({ x: "y" });
  });

  test("the lease is held until the work has ended, and then released", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    const stop = new AbortController();
    const election = new LeaderElection({ identity: "a", lease: server.connect(clock), clock });
    const ended = election.lead(stop.signal, () => pause(clock, 40_000));
    await clock.advance(0);
    const b = candidate(server, clock, "b");
    stop.abort();
    await clock.advance(39_000);
    expect([election.gate.open, server.lease?.spec?.holderIdentity, b.log]).toEqual([true, "a", []]);
    await clock.advance(1_000);
    await ended;
    expect(b.log).toEqual(["leads"]);
  });

  test("with many candidates and any faults never two gates are open", async () => {
    const [clock, server] = [new VirtualClock(), new LeaseServer()];
    let seed = 7;
    const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const all = ["a", "b", "c"].map((identity) => ({ identity, ...candidate(server, clock, identity, { random }) }));
    const led = new Set<string>();
    for (let step = 0; step < 600; step++) {
      const one = all[Math.floor(random() * all.length)]!;
      const fault = (["none", "none", "refuse", "hang", "swallow", "deaf"] as const)[Math.floor(random() * 6)]!;
      one.store.fault = fault;
      if (fault === "none") one.store.answer();
      await clock.advance(Math.floor(random() * 10_000));
      const open = all.filter(({ election }) => election.gate.open);
      expect(open.length).toBeLessThanOrEqual(1);
      for (const { identity } of open) led.add(identity);
      for (const [at, other] of all.entries())
        if (other.log.includes("LeadershipLostError"))
          all[at] = { ...other, ...candidate(server, clock, `${other.identity}-${step}`, { random }) };
    }
    expect(led.size).toBe(3);
    expect(server.lease?.spec?.leaseTransitions).toBeGreaterThan(10);
  });

  test.each([
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
    { renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
    { retryPeriodMs: 0 },
  ])("durations %o are refused", (durations) => {
    const lease = new LeaseServer().connect(new VirtualClock());
    expect(() => new LeaderElection({ identity: "a", lease, ...durations })).toThrow("elect a leader");
  });
});

test("a leaders-only client starts no request without the lease, and none outlasts it", async () => {
  const [clock, server] = [new VirtualClock(), new LeaseServer()];
  const store = server.connect(clock);
  const election = new LeaderElection({ identity: "a", lease: store, clock });
  const seen: unknown[] = [];
  const record = async (...args: unknown[]): Promise<never> => {
    seen.push((args.at(-1) as { timeoutMs: number }).timeoutMs);
    return undefined as never;
  };
  const client = {
    get: record,
    list: record,
    create: record,
    update: record,
    patch: record,
    delete: record,
    raw: record,
  };
  const guarded = leadersOnly(client as unknown as Client, election.gate);
  const of = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false };
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
  const calls = [
    () => guarded.get(of, "n"),
    () => guarded.list(of),
    () => guarded.create(of, object),
    () => guarded.update(of, object),
    () => guarded.patch(of, "n", { type: "merge", patch: {} }),
    () => guarded.delete(of, "n"),
    () => guarded.raw("GET", "/version"),
    () => guarded.watch(of)[Symbol.asyncIterator]().next(),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow(LeadershipLostError);
  const ended = election.lead(new AbortController().signal, (signal) => pause(clock, Infinity, signal));
  await clock.advance(0);
  await guarded.get(of, "n");
  await guarded.update(of, object, { timeoutMs: 500 });
  store.fault = "refuse";
  await clock.advance(9_000);
  await guarded.get(of, "n");
  expect(seen).toEqual([20_000, 500, 11_000]);
  void clock.advance(7_000);
  await expect(ended).rejects.toThrow(LeadershipLostError);
  for (const call of calls) await expect(call()).rejects.toThrow(LeadershipLostError);
});
