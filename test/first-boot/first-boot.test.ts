import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { tokenPath } from "../../src/domain/rollout/first-boot/token-file.ts";
import type { Machine } from "../../src/embedded/lab/machine.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { bootFirst, bootFully, FirstBootCluster, give, newMachine } from "./first-boot-cluster.ts";

const text = async (host: Machine, path: string): Promise<string | undefined> => {
  const found = await host.read(path);
  return found.type === "text" ? found.text : undefined;
};

test("a machine gets the config of its pool with one restart, and is told exactly that one when it joins (machine-config W-21)", async () => {
  const cluster = await FirstBootCluster.start();
  await cluster.apply("50-base", { ...withFiles(file("/etc/base.conf", "x")), kernelArguments: ["nohz_full=2-3"] });
  const config = await cluster.rendered("50-base");
  const host = newMachine();
  await give(host, await cluster.token("a"));
  expect(await bootFully(host)).toEqual({ type: "done", message: `the machine has ${config}` });
  expect(host.boots).toBe(2);
  expect(await text(host, "/etc/base.conf")).toBe("x");
  expect(await text(host, "/proc/cmdline")).toContain("nohz_full=2-3");
  expect(await text(host, tokenPath)).toBeUndefined();
  expect(await cluster.events()).toContain(`FirstBootServed: Node a boots first with MachineConfig ${config}`);

  await cluster.join("a");
  const { metadata } = await eventually("told", async () => {
    const node = await cluster.admin.get(kinds.node, "a");
    return node.metadata.annotations?.[annotations.desiredConfig] !== undefined && node;
  });
  expect(metadata.annotations).toMatchObject({
    [annotations.desiredConfig]: config,
    [annotations.firstPivotConfig]: config,
  });
  // No kubelet may give itself a role, and kubeadm gives workers none.
  expect(metadata.labels).toHaveProperty("node-role.kubernetes.io/worker");
  await eventually("the invitation is gone", async () => (await cluster.invitation("a")) === undefined);
  expect(await bootFirst(host)).toMatchObject({ type: "done" });
  expect(host.boots).toBe(2);
});

test("a machine waits until its pool is there and rendered, and a pool without configs lets it join as it is", async () => {
  const cluster = await FirstBootCluster.start();
  const bare = newMachine();
  await give(bare, await cluster.token("bare"));
  expect(await bootFirst(bare)).toEqual({ type: "done", message: "pool worker has no config: nothing to do" });
  expect(await text(bare, tokenPath)).toBeUndefined();

  const refused = newMachine();
  await cluster.apply("50-bad", withFiles({ path: "relative" }));
  await give(refused, await cluster.token("refused"));
  await eventually("the pool is degraded", async () => {
    const { status } = await cluster.pool("worker");
    return status?.conditions?.some(({ type, status }) => type === "RenderDegraded" && status === "True");
  });
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
    // The token stays good: nothing was served.
    void cluster.apply("50-bad", withFiles(file("/etc/good", "")));
  };
  expect(await bootFully(refused, { print })).toMatchObject({ type: "done" });
  expect(lines[0]).toMatch(/^waiting: 503: MachineConfigPool worker has no rendered config yet: .*50-bad/);
});

test("a restarted operator goes on: between issue and use, and between use and join", async () => {
  const cluster = await FirstBootCluster.start();
  await cluster.apply("50-base", withFiles(file("/etc/base.conf", "x")));
  const config = await cluster.rendered("50-base");
  const [host, token] = [newMachine(), await cluster.token("a")];
  await cluster.stopOperator();
  await give(host, token);
  const booting = bootFully(host, { timeoutMs: 1 });
  expect(await booting).toMatchObject({ type: "failed", reason: expect.stringContaining("ECONNREFUSED") });
  await cluster.startOperator();
  // Another port, as after a move of the operator's address; the certificate is the same.
  const moved = await cluster.token("b");
  expect(moved.certificateAuthority).toBe(token.certificateAuthority);
  await give(host, { ...token, server: moved.server });
  expect(await bootFully(host)).toMatchObject({ type: "done" });
  await cluster.stopOperator();
  await cluster.join("a");
  await cluster.startOperator();
  await eventually("told", async () => {
    const { metadata } = await cluster.admin.get(kinds.node, "a");
    return metadata.annotations?.[annotations.desiredConfig] === config;
  });
});
