import { afterEach, beforeEach, expect, test } from "vitest";
import { formatMicroTime } from "../../../language/object/time.ts";
import { type Lease, leaseKind, type LeaseSpec } from "../../../cluster/runtime/leader/lease.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { LeaseObserver } from "./lease-observer.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";

let clock: VirtualClock;
let cluster: MemoryCluster;
let rival: LeaseObserver;
let end: () => void;
let changes: (string | undefined)[];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = new MemoryCluster(clock);
  changes = [];
  rival = new LeaseObserver(cluster.informer(leaseKind), "kube-scheduler", clock);
  rival.onChange(() => changes.push(rival.holder));
  end = await rival.start(new AbortController().signal);
});
afterEach(() => end());

function renew(spec: LeaseSpec = {}, name = "kube-scheduler"): void {
  const renewTime = formatMicroTime(clock.now());
  const whole = { holderIdentity: "real", leaseDurationSeconds: 15, renewTime, ...spec };
  const metadata = { name, namespace: "kube-system" };
  cluster.put<Lease>(leaseKind, { apiVersion: leaseKind.apiVersion, kind: "Lease", metadata, spec: whole });
}

test("who renews is alive, and is gone when it stops for as long as its lease lasts", async () => {
  for (let i = 0; i < 10; i++) {
    renew();
    await clock.advance(10_000);
  }
  expect(changes).toEqual(["real"]);
  await clock.advance(4_999);
  expect(rival.holder).toBe("real");
  await clock.advance(1);
  expect(changes).toEqual(["real", undefined]);
});

test("a clock that is wrong elsewhere does not matter", async () => {
  renew({ renewTime: "2001-01-01T00:00:00.000000Z" });
  expect(rival.holder).toBe("real");
  await clock.advance(10_000);
  renew({ renewTime: "2001-01-01T00:00:10.000000Z" });
  await clock.advance(10_000);
  expect(rival.holder).toBe("real");
});

test("a change that renews nothing is no sign of life", async () => {
  const renewTime = formatMicroTime(clock.now());
  renew({ renewTime });
  await clock.advance(10_000);
  renew({ renewTime, leaseTransitions: 1 });
  await clock.advance(5_000);
  expect(rival.holder).toBeUndefined();
});

test.each<[string, () => void]>([
  ["gives its lease back", () => renew({ holderIdentity: "" })],
  ["has its lease deleted", () => cluster.remove(leaseKind, "kube-system/kube-scheduler")],
])("who %s is gone at once", async (_what, act) => {
  renew();
  act();
  expect(changes).toEqual(["real", undefined]);
});

test("leases of others say nothing", () => {
  renew({}, "kube-controller-manager");
  expect(changes).toEqual([]);
});
