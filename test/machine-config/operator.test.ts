import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { report, withFile, worker } from "./objects.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";

test("a file of a MachineConfig is rendered for its pool, told to a node, and the pool is updated", async () => {
  const { client, runOperator } = await testCluster(machineConfigCrds);
  await client.create(kinds.node, worker("n"));
  await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
  runOperator();

  const desired = await eventually("reported", async () => {
    const { metadata } = await client.get(kinds.node, "n");
    return metadata.annotations?.[annotations.desiredConfig];
  });
  const rendered = await client.get(machineConfigKind, desired);
  expect(rendered.spec?.config).toMatchObject({ storage: { files: [{ path: "/etc/motd" }] } });
  const { spec } = await client.get(machineConfigPoolKind, "worker");
  expect(spec?.configuration).toEqual({
    name: desired,
    source: [{ apiVersion, kind: "MachineConfig", name: "50-motd" }],
  });

  await report(client, "n", { [annotations.currentConfig]: desired, [annotations.state]: "Done" });
  const status = await eventually("reported", async () => {
    const { status } = await client.get(machineConfigPoolKind, "worker");
    return findCondition(status?.conditions, "Updated")?.status === "True" && status;
  });
  expect(status).toMatchObject({
    machineCount: 1,
    updatedMachineCount: 1,
    readyMachineCount: 1,
    configuration: { name: desired },
  });
  expect((await client.get(machineConfigPoolKind, "master")).status).toMatchObject({ machineCount: 0 });
});
