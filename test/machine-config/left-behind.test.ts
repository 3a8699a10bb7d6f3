import { describe, expect, test } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import {
  apiVersion,
  machineConfigKind,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import {
  annotations,
  drainRequest,
  ownAnnotations,
  uncordonRequest,
} from "../../src/domain/rollout/node-annotations.ts";
import { conflictCondition } from "../../src/domain/rollout/rollout-node.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { serverVariants } from "../servers/server-under-test.ts";
import { type StartServer, testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { report, withFile, worker } from "./objects.ts";

type Node = NonNullable<(typeof kinds.node)["object"]>;

async function until(client: Client, what: string, holds: (node: Node) => boolean): Promise<Node> {
  return eventually(what, async () => {
    const node = await client.get(kinds.node, "n");
    return holds(node) && node;
  });
}

const textOf = ({ metadata }: Node, name: string): string | undefined => metadata.annotations?.[name];
const taintsOf = ({ spec }: Node): (string | undefined)[] => (spec?.taints ?? []).map(({ key }) => key);

async function leave(client: Client): Promise<void> {
  const patch = { metadata: { labels: { "node-role.kubernetes.io/worker": null } } };
  await client.patch(kinds.node, "n", { type: "merge", patch });
}

async function started(start: StartServer): Promise<{ client: Client; told: string }> {
  const { client, runOperator } = await testCluster(machineConfigCrds, start);
  await client.create(kinds.node, worker("n"));
  await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
  runOperator();
  const node = await until(client, "told", (one) => textOf(one, ownAnnotations.progress) !== undefined);
  return { client, told: textOf(node, annotations.desiredConfig)! };
}

for (const { name: server, start } of serverVariants())
  describe(`a node that leaves its pool, on the ${server} server`, { timeout: 120_000 }, () => {
    test("a node that leaves its pool before it has begun is as if it had never been told", async () => {
      const { client } = await started(start);
      const foreign = { "example.com/own": "x" };
      await report(client, "n", foreign);
      const taints = [
        { key: "mine", effect: "NoSchedule" },
        { key: "UpdateInProgress", effect: "PreferNoSchedule" },
      ];
      await client.patch(kinds.node, "n", { type: "merge", patch: { spec: { taints } } });
      await leave(client);
      const node = await until(
        client,
        "nothing is left",
        (one) => taintsOf(one).length === 1 && !textOf(one, annotations.desiredConfig),
      );
      expect([node.metadata.annotations, taintsOf(node)]).toEqual([foreign, ["mine"]]);
    });

    test("a node that leaves while it works finishes, is uncordoned, and says which config it keeps", async () => {
      const { client, told } = await started(start);
      await report(client, "n", { [annotations.state]: "Working", [annotations.desiredDrain]: drainRequest(told) });
      await until(client, "drained", (one) => textOf(one, annotations.lastAppliedDrain) === drainRequest(told));
      await leave(client);
      const done = { [annotations.currentConfig]: told, [annotations.state]: "Done" };
      await report(client, "n", { ...done, [annotations.desiredDrain]: uncordonRequest(told) });
      const node = await until(
        client,
        "uncordoned",
        (one) => !one.spec?.unschedulable && !textOf(one, ownAnnotations.progress),
      );
      expect(textOf(node, annotations.currentConfig)).toBe(told);
      expect(textOf(node, annotations.desiredConfig)).toBe(told);
      expect(
        Object.keys(node.metadata.annotations ?? {}).filter((name) => name.startsWith("rollout.attune.dev/")),
      ).toEqual([]);
    });

    test("a node that leaves after it failed is asked to go back to the config it has", async () => {
      const { client, told } = await started(start);
      const done = { [annotations.currentConfig]: told, [annotations.state]: "Done" };
      await report(client, "n", done);
      await client.create(machineConfigKind, withFile("60-more", "/etc/more"));
      const next = await until(client, "told the next", (one) => textOf(one, annotations.desiredConfig) !== told);
      expect(textOf(next, ownAnnotations.previousConfig)).toBe(told);
      await report(client, "n", { [annotations.state]: "Degraded", [annotations.reason]: "disk full" });
      await until(client, "failed", (one) => textOf(one, ownAnnotations.progress)?.includes("Failed") ?? false);
      await leave(client);
      const node = await until(client, "set back", (one) => textOf(one, annotations.desiredConfig) === told);
      expect(textOf(node, ownAnnotations.progress)).toBeUndefined();
    });

    test("the condition about several pools goes with its cause, and with the pools of the node (machine-config W-19)", async () => {
      const { client, runOperator } = await testCluster(machineConfigCrds, start);
      for (const name of ["a", "b"])
        await client.create(machineConfigPoolKind, {
          apiVersion,
          kind: "MachineConfigPool",
          metadata: { name },
          spec: {
            machineConfigSelector: { matchLabels: { [roleLabel]: name } },
            nodeSelector: { matchLabels: { [name]: "" } },
          },
        });
      const conditions = [{ type: "Ready", status: "True" }];
      const labels = { a: "", b: "" };
      await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } });
      await client.patch(
        kinds.node,
        "n",
        { type: "merge", patch: { status: { conditions } } },
        { subresource: "status" },
      );
      runOperator();
      const types = ({ status }: Node): (string | undefined)[] => (status?.conditions ?? []).map(({ type }) => type);
      const hasConflict = (one: Node): boolean =>
        findCondition(one.status?.conditions, conflictCondition)?.status === "True";
      const relabel = async (changed: Record<string, string | null>): Promise<void> => {
        await client.patch(kinds.node, "n", { type: "merge", patch: { metadata: { labels: changed } } });
      };
      await until(client, "conflict", hasConflict);
      await relabel({ b: null });
      await until(client, "one pool", (one) => types(one).join() === "Ready");
      await relabel({ b: "" });
      await until(client, "conflict again", hasConflict);
      await relabel({ a: null, b: null });
      await until(client, "no pool", (one) => types(one).join() === "Ready");
    });
  });
