import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  controllerConfigKind,
  controllerConfigName,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { controllerConfigDefinition } from "../node-tuning/controller-config-definition.ts";
import { mayPauseAnnotation, pausedForAnnotation } from "../../src/domain/performance-profile/other-operator/pause.ts";
import type { StartServer } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { MachineConfigOperator } from "./machine-config-operator.ts";
import { changes } from "./profile-changes.ts";
import { poolName, type ProfileCluster, tunedCluster } from "./profile-cluster.ts";
import { operatorUntil } from "./stopped-operator.ts";

/** Each write that would begin a rendering of the machine config operator, in the order in which the server stored them. */
function writes({ client, signal, run }: ProfileCluster): () => readonly string[] {
  const seen: { readonly version: number; readonly text: string }[] = [];
  const follow = async (kind: KindRef): Promise<void> => {
    for await (const event of client.watch(kind, { sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK" || event.type === "ERROR") continue;
      const { name, resourceVersion } = event.object.metadata;
      const content = JSON.stringify(event.object["spec"]);
      const isNew = event.type === "DELETED" || content !== contents.get(`${kind.kind} ${name}`);
      contents.set(`${kind.kind} ${name}`, content);
      if (isNew) seen.push({ version: Number(resourceVersion), text: `${event.type} ${name}` });
    }
  };
  const contents = new Map<string, string>();
  for (const kind of [machineConfigKind, kubeletConfigKind])
    run(follow(kind).catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
  return () => seen.toSorted((a, b) => a.version - b.version).map(({ text }) => text);
}

const [boot, files, kubelet] = ["50-nto-worker-cnf", "50-performance-low-latency", "performance-low-latency"];

interface OtherOperator extends Awaited<ReturnType<typeof tunedCluster>> {
  readonly other: MachineConfigOperator;
}

/** A cluster with a machine config operator and a pool that it has rolled out. */
async function withOtherOperator(start?: StartServer): Promise<OtherOperator> {
  const cluster = await tunedCluster(["a", "b"], start);
  const { client, run, signal } = cluster;
  await client.create(kinds.customResourceDefinition, controllerConfigDefinition as never);
  const { apiVersion, kind } = controllerConfigKind;
  await eventually("the kind is served", () => client.list(controllerConfigKind));
  await client.create(controllerConfigKind, { apiVersion, kind, metadata: { name: controllerConfigName } });
  const consent = { metadata: { annotations: { [mayPauseAnnotation]: "true" } } };
  await client.patch(machineConfigPoolKind, poolName, { type: "merge", patch: consent });
  await client.create(machineConfigKind, {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: "00-worker-cnf", labels: { [roleLabel]: poolName } },
    spec: { kernelArguments: ["quiet"] },
  });
  const other = new MachineConfigOperator(client);
  run(other.run(signal));
  await other.sync();
  return { ...cluster, other };
}

/** Whether the pool is released with everything of a change: its boot arguments, its files and its kubelet. */
async function isOver({ client }: OtherOperator, argument: string | undefined): Promise<boolean> {
  const { metadata, spec } = await client.get(machineConfigPoolKind, poolName);
  if (spec?.paused || metadata.annotations?.[pausedForAnnotation] !== undefined) return false;
  const { items } = await client.list(performanceProfileKind);
  if ((argument === undefined) !== (items.length === 0)) return false;
  const sources = spec?.configuration?.source?.length;
  const rendered = await client.get(machineConfigKind, spec?.configuration?.name ?? "");
  const has = rendered.spec?.kernelArguments ?? [];
  return argument === undefined ? has.length === 1 && sources === 1 : has.includes(argument) && sources === 4;
}

describe("beside a Machine Config Operator", { timeout: 600_000 }, () => {
  it.each(emptyServers())(
    "objects of a profile are written after its boot arguments are known, and its pool is left as it was, on the $name server (machine-config W-20)",
    async ({ start }) => {
      const cluster = await withOtherOperator(start);
      const { client } = cluster;
      const pool = await client.get(machineConfigPoolKind, poolName);
      const all = writes(cluster);
      const seen = (): readonly string[] =>
        all().filter((text) => [boot, files, kubelet].some((name) => text.endsWith(` ${name}`)));
      cluster.runOperator();
      await cluster.agentsReport();

      for (const [index, { make, ends }] of changes.entries()) {
        await make(client);
        await eventually("the change is over", () => isOver(cluster, ends), 100_000);
        await eventually("all are seen", () => Promise.resolve(seen().length >= 3 * (index + 1)));
        const type = ["ADDED", "MODIFIED", "DELETED"][index];
        expect(seen()[3 * index]).toBe(`${type} ${boot}`);
        expect(
          seen()
            .slice(3 * index + 1)
            .toSorted(),
        ).toEqual([`${type} ${files}`, `${type} ${kubelet}`]);
      }
      const { metadata, spec } = await client.get(machineConfigPoolKind, poolName);
      expect({ annotations: metadata.annotations ?? {}, spec: { paused: false, ...spec } }).toEqual({
        annotations: pool.metadata.annotations ?? {},
        spec: { ...pool.spec, paused: false },
      });
    },
  );

  it("an operator that ends after any of its writes costs no second rollout (machine-config W-20)", async () => {
    const cluster = await withOtherOperator();
    const { client, other } = cluster;
    const first = operatorUntil(client, Infinity);
    await cluster.agentsReport();
    await first.stop();
    const rollouts: string[] = [];
    let isReached = true;
    const [start, last] = isLong ? [1, Infinity] : [3, 3];
    for (let at = start; isReached && at <= last; at++) {
      isReached = false;
      for (const [index, { make, ends }] of changes.entries()) {
        const before = other.rollouts.length;
        await make(client);
        const killed = operatorUntil(client, at, { counts: ofRenderings });
        await Promise.race([killed.stopped, eventually("the change is over", () => isOver(cluster, ends), 100_000)]);
        isReached ||= killed.reached();
        await killed.stop();
        await other.sync();
        const next = operatorUntil(client, Infinity);
        await eventually("the change is over", () => isOver(cluster, ends), 100_000);
        await next.stop();
        await other.sync();
        rollouts.push(`change ${index}, ended after write ${at}: ${other.rollouts.length - before}`);
      }
    }
    expect(rollouts.length).toBeGreaterThanOrEqual(isLong ? 60 : 3);
    expect(rollouts.filter((text) => !text.endsWith(": 1"))).toEqual([]);
  });
});

const isLong = process.env["ATTUNE_LONG"] !== undefined;

/** In the short form: the third of these is the MachineConfig with boot arguments, between those of the profile. */
function ofRenderings(kind: string, subresource: string | undefined): boolean {
  return isLong || (subresource === undefined && ["MachineConfigPool", "MachineConfig", "Tuned"].includes(kind));
}
