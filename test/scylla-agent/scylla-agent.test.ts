import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tuningNamespace } from "../../src/domain/scylla/names.ts";
import type { TuningJob } from "../../src/domain/scylla/on-node/job-progress.ts";
import { readRecord, type TuningInputs } from "../../src/domain/scylla/on-node/tuning.ts";
import { until } from "../node-tuning/eventually.ts";
import { ScyllaNode } from "./scylla-node.ts";

let node: ScyllaNode;
beforeEach(async () => {
  node = await ScyllaNode.start();
});
afterEach(() => node.close());

function inputsOf(job: TuningJob): TuningInputs {
  return readRecord(job)!.inputs;
}

function argumentsOf(job: TuningJob): string[] {
  const { template } = job["spec"] as { template: { spec: { containers: { args: string[] }[] } } };
  return template.spec.containers[0]!.args;
}

describe("the agent of a Scylla node", () => {
  test("tunes the node for a database that lands, releases it, and gives interrupts back after the last one", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    const job = await node.job();
    expect(argumentsOf(job)).toEqual([
      ...["--irq-cpu-mask", "0x000000fc", "--tune=net", "--nic=eth0"],
      ...["--tune", "disks", "--dir", `/host/mnt/${pod.metadata.uid}`, "--tune=system", "--tune-clock"],
    ]);
    expect(await node.release(pod)).toBeUndefined();
    await node.complete(job);
    expect(await node.untilReleased(pod, "containerd://c1")).toEqual({
      containerId: "containerd://c1",
      irqCpus: "2-7",
      outcome: "tuned",
    });
    await node.leave("a");
    const last = await node.job();
    expect(argumentsOf(last)).toEqual([
      ...["--irq-cpu-mask", "0x000000ff", "--tune=net", "--nic=eth0"],
      ...["--tune", "disks", "--dev", "nvme0n1"],
    ]);
    await node.complete(last);
    await until(async () => (await node.jobs()).length === 1);
    expect(node.writes).toEqual(["create Job", "create ConfigMap", "create Job", "delete Job"]);
  });
});
