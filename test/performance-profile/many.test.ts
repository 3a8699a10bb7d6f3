import { expect, it } from "vitest";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { kubeletConfigKind, machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { tunedKind } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { lowLatency, profileCluster } from "./profile-cluster.ts";

const count = process.env["ATTUNE_LONG"] ? 200 : 20;

it(`${count} PerformanceProfiles at once get their objects with one write each, and none is reconciled for the pools of others`, async () => {
  const cluster = await profileCluster({ pool: false });
  const { client, signal, run } = cluster;
  const writes = new Map<string, number[]>();
  const follow = (kind: KindRef): void => {
    const informer = createInformer(client, kind, {});
    const byName = new Map<string, number>();
    informer.subscribe(({ object }) => {
      const { name = "" } = object.metadata;
      if (!/(^|-)p\d+$/.test(name) || name.startsWith("rendered-")) return;
      byName.set(name, (byName.get(name) ?? 0) + 1);
      writes.set(kind.kind, [...byName.values()]);
    });
    run(informer.run(signal));
  };
  const written = [tunedKind, machineConfigKind, kubeletConfigKind, kinds.runtimeClass, performanceProfileKind];
  for (const kind of written) follow(kind);
  for (let i = 0; i < count; i++) {
    const name = `p${i}`;
    await cluster.createPool(name);
    await client.create(
      performanceProfileKind,
      lowLatency({ nodeSelector: { [`node-role.kubernetes.io/${name}`]: "" } }, name),
    );
  }
  const metrics = await createPromMetrics();
  const operator = { image: "", agentServiceAccount: "agent", version: "1", leaderElection: false, metrics };
  run(runOperator({ client, signal, ...operator }));
  await eventually(
    "all are available",
    async () => {
      const { items } = await client.list(performanceProfileKind);
      return items.every(({ status }) => isTrue(status?.conditions, "Available"));
    },
    500_000,
  );
  const most = (kind: string): [string, number, number] => {
    const times = writes.get(kind) ?? [];
    return [kind, times.length, Math.max(...times)];
  };
  // Created, and never changed.
  expect(most("MachineConfig")).toEqual(["MachineConfig", count, 1]);
  expect(most("RuntimeClass")).toEqual(["RuntimeClass", count, 1]);
  // With a finalizer and a status, which other controllers write.
  const [, kubelets, kubeletWrites] = most("KubeletConfig");
  const [, tuneds, tunedWrites] = most("Tuned");
  const [, profiles, profileWrites] = most("PerformanceProfile");
  expect([kubelets, tuneds, profiles]).toEqual([count, count, count]);
  expect(kubeletWrites).toBeLessThanOrEqual(4);
  expect(tunedWrites).toBeLessThanOrEqual(4);
  // Created, a finalizer, and a status for each step of the rollout.
  expect(profileWrites).toBeLessThanOrEqual(10);
  const text = await metrics.text();
  const reconciles = [
    ...text.matchAll(/^controller_runtime_reconcile_total\{[^}]*"performance-profile"[^}]*\} (\d+)/gm),
  ];
  const total = reconciles.reduce((sum, [, times]) => sum + Number(times), 0);
  expect(total).toBeGreaterThanOrEqual(count);
  expect(total / count).toBeLessThanOrEqual(40);
}, 600_000);
