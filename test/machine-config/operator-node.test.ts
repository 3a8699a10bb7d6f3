import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { statusConfigMapName } from "../../src/domain/node-tuning/status/operator-status-object.ts";
import { annotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { operatorFlags } from "../../src/program/cli/flags.ts";
import { runOperatorWith } from "../../src/program/cli/operator/run-operator.ts";
import { parseArguments } from "../../src/program/cli/option/flag.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";
import { operatorDeployment } from "../../src/program/operator/deployment.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { report, withFile, worker } from "./objects.ts";

test("the node that the Deployment's pod runs on is told last, and the status says who rolls pools out", async () => {
  const { client, run, signal } = await testCluster(machineConfigCrds);
  const deployment = operatorDeployment({
    namespace,
    image: "i",
    mode: "plain",
    protocol: "documented",
    replicas: 1,
  }) as unknown as {
    spec: { template: { spec: { containers: { env: { name: string; valueFrom?: unknown }[] }[] } } };
  };
  const { env } = deployment.spec.template.spec.containers[0]!;
  const name = env.find(({ valueFrom }) => JSON.stringify(valueFrom)?.includes("spec.nodeName"))?.name ?? "";

  // The oldest would be the first.
  for (const node of ["own", "other"]) await client.create(kinds.node, worker(node));
  await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
  const flags = parseArguments(operatorFlags, ["--mode", "plain", "--no-leader-election"], {});
  run(runOperatorWith(flags, { [name]: "own" }, { client, signal }));
  const desired = async (node: string): Promise<string> =>
    updateOf((await client.get(kinds.node, node)).metadata).desired;
  const config = await eventually("the other node is told", async () => (await desired("other")) || undefined);
  expect(await desired("own")).toBe("");
  await report(client, "other", {
    [annotations.currentConfig]: config,
    [annotations.state]: "Done",
  });
  await eventually("its own node is told", async () => (await desired("own")) === config);
  const { status } = await client.get(machineConfigPoolKind, "worker");
  expect(findCondition(status?.conditions, "Updating")?.status).toBe("True");
  const said = await eventually("said", async () => {
    const { data } = await client.get(kinds.configMap, statusConfigMapName, { namespace });
    return data?.["MachineConfigPools"];
  });
  expect(said).toBe("rolled out by Attune");
});
