import { afterEach, beforeEach, expect, test } from "vitest";
import { formatMicroTime } from "../../../language/object/time.ts";
import { type Lease, leaseKind, type LeaseSpec } from "../../../cluster/runtime/leader/lease.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { LeaseObserver } from "./lease-observer.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";

let clock: VirtualClock;
let cluster: MemoryCluster;
let observer: LeaseObserver;
let end: () => void;
let changes: (string | undefined)[];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = new MemoryCluster(clock);
  changes = [];
  observer = new LeaseObserver(cluster.informer(leaseKind), "kube-scheduler", clock);
  observer.onChange(() => changes.push(observer.holder));
  end = await observer.start(new AbortController().signal);
});
afterEach(() => end());

function renew(spec: LeaseSpec = {}, name = "kube-scheduler"): void {
  const renewTime = formatMicroTime(clock.now());
  const whole = { holderIdentity: "real", leaseDurationSeconds: 15, renewTime, ...spec };
  const metadata = { name, namespace: "kube-system" };
  cluster.put<Lease>(leaseKind, { apiVersion: leaseKind.apiVersion, kind: "Lease", metadata, spec: whole });
}

test("a holder counts until it has not renewed for the duration of its lease", async () => {
  for (let i = 0; i < 10; i++) {
    renew();
    await clock.advance(10_000);
  }
  expect(changes).toEqual(["real"]);
  await clock.advance(4_999);
  expect(observer.holder).toBe("real");
  await clock.advance(1);
  expect(changes).toEqual(["real", undefined]);
});

test("the clock of the holder does not matter", async () => {
  renew({ renewTime: "2001-01-01T00:00:00.000000Z" });
  expect(observer.holder).toBe("real");
  await clock.advance(10_000);
  renew({ renewTime: "2001-01-01T00:00:10.000000Z" });
  await clock.advance(10_000);
  expect(observer.holder).toBe("real");
});

test("a change without a new renewTime is no renewal", async () => {
  const renewTime = formatMicroTime(clock.now());
  renew({ renewTime });
  await clock.advance(10_000);
  renew({ renewTime, leaseTransitions: 1 });
  await clock.advance(5_000);
  expect(observer.holder).toBeUndefined();
});

test.each<[string, () => void]>([
  ["releases its lease", () => renew({ holderIdentity: "" })],
  ["has its lease deleted", () => cluster.remove(leaseKind, "kube-system/kube-scheduler")],
])("a holder that %s is gone at once", async (_what, act) => {
  renew();
  act();
  expect(changes).toEqual(["real", undefined]);
});

test("other leases are ignored", () => {
  renew({}, "kube-controller-manager");
  expect(changes).toEqual([]);
});
