import { expect, test } from "vitest";
import { ApiError } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type Log, noLog } from "../../src/cluster/runtime/log/log.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { apiVersion, machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { report, withFile, worker } from "./objects.ts";
import { testCluster } from "../../src/program/cli/testing/test-cluster.ts";

test.each(emptyServers())(
  "a file of a MachineConfig is rendered for its pool, told to a node, and the pool is updated, on the $name server",
  async ({ start }) => {
    const { client, runOperator } = await testCluster(machineConfigCrds, start);
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
    const { status: idle } = await client.get(machineConfigPoolKind, "master");
    expect(idle).toMatchObject({ machineCount: 0 });
    expect(findCondition(idle?.conditions, "Updated")).toMatchObject({
      status: "True",
      message: "No MachineConfig is selected: nodes stay as they are",
    });
  },
  120_000,
);

test("a Node that another client writes at the same moment is written again, and is no error", async () => {
  const { client, run, signal } = await testCluster(machineConfigCrds);
  await client.create(kinds.node, worker("n"));
  await client.create(machineConfigKind, withFile("50-motd", "/etc/motd"));
  let refused = 0;
  const patch: HttpClient["patch"] = async (kind, name, ...rest) => {
    if (kind.kind === "Node" && refused++ === 0)
      throw new ApiError({ code: 409, reason: "Conflict", message: "the object has been modified" });
    return client.patch(kind, name, ...rest);
  };
  const busy = new Proxy(client, {
    get(of, name) {
      const value: unknown = name === "patch" ? patch : Reflect.get(of, name, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  const errors: string[] = [];
  const log: Log = { ...noLog, error: ({ error }) => void errors.push(String(error)), child: () => log };
  const operator = { image: "i", agentServiceAccount: "agent", version: "1", leaderElection: false };
  run(runOperator({ client: busy, signal, log, ...operator }));

  await eventually("told", async () => {
    const { metadata } = await client.get(kinds.node, "n");
    return metadata.annotations?.[annotations.desiredConfig];
  });
  expect(refused).toBeGreaterThan(1);
  expect(errors).toEqual([]);
});
