import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureAnnotation } from "../../src/domain/scylla/names.ts";
import { scyllaNodeConfigKind } from "../../src/domain/scylla/api.ts";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { releaseName, tuningNamespace } from "../../src/domain/scylla/names.ts";
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
      "--irq-cpu-mask",
      "0x000000fc",
      "--tune=net",
      "--nic=eth0",
      "--tune",
      "disks",
      "--dir",
      `/host/mnt/${pod.metadata.uid}`,
      "--tune=system",
      "--tune-clock",
    ]);
    expect(await node.release(pod)).toBeUndefined();
    await node.complete(job);
    expect(await node.untilReleased(pod, "containerd://c1")).toEqual({
      containerId: "containerd://c1",
      irqCpus: "2-7",
      outcome: "tuned",
      node: "scylla-0",
    });
    await node.leave("a");
    const last = await node.job();
    expect(argumentsOf(last)).toEqual([
      "--irq-cpu-mask",
      "0x000000ff",
      "--tune=net",
      "--nic=eth0",
      "--tune",
      "disks",
      "--dev",
      "nvme0n1",
    ]);
    await node.complete(last);
    await until(async () => (await node.jobs()).length === 1);
    expect(node.writes).toEqual(["create Job", "create ConfigMap", "create Job", "delete Job"]);
  });

  test("tunes for two databases at once with one Job after the other, and closes no gate again (scylla W-4, scylla W-5, scylla W-10, scylla W-13)", async () => {
    await node.startAgent();
    const [a, b] = await Promise.all([node.land("a", "0-1"), node.land("b", "4-5")]);
    for (let job = await node.job(); ; job = await node.job()) {
      expect((await node.jobs()).filter(({ status }) => !status?.conditions)).toHaveLength(1);
      const isDone = await node.complete(job).then(
        () => true,
        // The agent takes back a Job that has not begun when the second database lands.
        (error: unknown) => {
          if (!isNotFound(error)) throw error;
          return false;
        },
      );
      if (isDone && inputsOf(job).irqCpus === "2-3,6-7") break;
    }
    await until(async () => (await node.release(a)) !== undefined && (await node.release(b)) !== undefined);
    const created = node.writes.length;
    const id = await node.restartContainer(b, "4-5");
    expect(await node.untilReleased(b, id)).toMatchObject({ outcome: "tuned" });
    expect(node.writes.slice(created)).toEqual(["update ConfigMap"]);
  });

  test("releases a restarted database whose ConfigMap of a user's hand is gone", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    await node.stopAgent();
    const { namespace = "", uid = "" } = pod.metadata;
    const name = releaseName(uid);
    await node.admin.delete(kinds.configMap, name, { namespace });
    await node.admin.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } });
    const seen = node.reads.length;
    await node.startAgent();
    await until(async () => node.reads.slice(seen).includes(name));
    await node.admin.delete(kinds.configMap, name, { namespace });
    const id = await node.restartContainer(pod, "0-1");
    expect(await node.untilReleased(pod, id)).toMatchObject({ outcome: "tuned" });
  });

  test("tunes the node again after a reboot, before its databases start (scylla W-1)", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    await node.stopAgent();
    await node.reboot();
    const id = await node.restartContainer(pod, "0-1");
    await node.startAgent();
    const job = await node.job();
    expect(inputsOf(job)).toMatchObject({ bootId: "boot-2", irqCpus: "2-7" });
    expect(await node.release(pod)).toMatchObject({ containerId: "containerd://c1" });
    await node.complete(job);
    await node.untilReleased(pod, id);
    expect(await node.jobs()).toHaveLength(1);
  });

  test("tunes the node again when its CPUs or its network card change (scylla W-1, scylla W-7)", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    await node.host.write("/sys/devices/system/cpu/online", "0-5,8\n");
    await node.host.write("/sys/devices/pci0000:00/0000:00:03.0/net/eth0/ifindex", "7\n");
    const job = await node.job();
    expect(inputsOf(job)).toMatchObject({ cpus: "0-5,8", irqCpus: "2-5,8", interfaces: [{ name: "eth0", index: 7 }] });
  });

  test("says why a Job failed, and tries again, also after the clock was set back (scylla W-2)", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    const job = await node.job();
    const terminated = { exitCode: 1, reason: "Error", message: "zero IRQ mask\u001b[2J\n" };
    await node.jobPod(job, { terminated });
    await node.fail(job);
    await until(async () => (await node.events("a")).includes("Warning TuningFailed"));
    expect(await node.events("cluster")).toContain("Warning TuningFailed");
    const [failed] = await node.jobs();
    expect(failed!.metadata.annotations?.[failureAnnotation]).toBe(
      "Job has reached the specified backoff limit: exit code 1: zero IRQ mask [2J",
    );
    node.aheadMs = -86_400_000;
    const second = await node.job();
    expect(readRecord(second)).toMatchObject({ attempt: 2, sequence: 2 });
    await node.complete(second);
    await node.untilReleased(pod, "containerd://c1");
    await until(async () => (await node.jobs()).length === 1);
  });

  test("says why a Job failed also where the agent died before it could", async () => {
    await node.startAgent({ at: 1, after: true });
    await node.land("a", "0-1");
    const job = await node.job();
    await node.jobPod(job, { terminated: { exitCode: 1, reason: "Error", message: "zero IRQ mask" } });
    await node.fail(job);
    await until(async () => node.agentEnded);
    await node.stopAgent();
    // Pods and Jobs are two watches: it may have seen only one of them before it died.
    const reported = async () => (await node.jobs())[0]?.metadata.annotations?.[failureAnnotation];
    expect(await reported()).toMatch(/zero IRQ mask|backoff limit/);
    expect(await node.events("a")).not.toContain("Warning TuningFailed");
    await node.startAgent();
    await until(async () => (await node.events("a")).includes("Warning TuningFailed"));
    await until(async () => (await reported())?.includes("zero IRQ mask") === true);
  });

  test("runs a Job again that was deleted by hand", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    const job = await node.job();
    await node.admin.delete(kinds.job, job.metadata.name ?? "", {
      namespace: tuningNamespace,
      propagationPolicy: "Background",
    });
    await until(async () => (await node.jobs()).some(({ metadata }) => metadata.uid !== job.metadata.uid));
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
  });

  test("starts a database without tuning if no CPU is left for interrupts, and warns (scylla W-3)", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-7");
    expect(await node.untilReleased(pod, "containerd://c1")).toMatchObject({
      irqCpus: "",
      outcome: "skipped: databases have all CPUs of the node, none is left for interrupts",
    });
    await until(async () => (await node.events("a")).includes("Warning NoCpusForInterrupts"));
    expect(await node.jobs()).toEqual([]);
  });

  test("changes nothing while the runtime does not answer, says so, and goes on when it does", async () => {
    node.breakRuntime("no answer within 5000 ms");
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    await until(async () => (await node.events("a")).includes("Warning NotTunedYet"));
    expect(node.writes).toEqual(["create ConfigMap"]);
    expect(await node.reported()).toContain(
      "the CPUs of db/a are not known: ask the container runtime: no answer within 5000 ms",
    );
    node.breakRuntime(undefined);
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    expect(await node.reported()).toBe("");
  });

  test("says so where the runtime has no container of a database that runs, tunes for the others, and goes on when it has", async () => {
    node.hidden.add("c1");
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    const other = await node.land("b", "4");
    await node.complete(await node.job());
    await node.untilReleased(other, "containerd://c2");
    await until(async () => (await node.reported()).includes("the CPUs of db/a are not known"));
    expect(await node.reported()).toContain("the container runtime has no container c1");
    expect(await node.events("a")).toContain("Warning NotTunedYet");
    expect(await node.release(pod)).toBeUndefined();
    node.hidden.clear();
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    await until(async () => (await node.reported()) === "");
  });

  test("stands down when optimizations are disabled, and reverts nothing", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    await node.complete(await node.job());
    await node.untilReleased(pod, "containerd://c1");
    const patch = { spec: { disableOptimizations: true } };
    await node.admin.patch(scyllaNodeConfigKind, "cluster", { type: "merge", patch });
    const written = node.writes.length;
    await node.leave("a");
    await node.land("b", "0-1");
    await node.admin.patch(scyllaNodeConfigKind, "cluster", {
      type: "merge",
      patch: { spec: { disableOptimizations: false } },
    });
    // Enabled again, it begins with what it left undone.
    await node.job();
    expect(node.writes.slice(written)).toEqual(["create Job"]);
  });

  test("goes on after its API server was restarted", async () => {
    await node.startAgent();
    const pod = await node.land("a", "0-1");
    const job = await node.job();
    await node.restartServer();
    await node.complete(job);
    await node.untilReleased(pod, "containerd://c1");
    expect(await node.jobs()).toHaveLength(1);
  });

  test.each([false, true])("ends with the same if it is killed at any write; the write is done: %s", async (after) => {
    /** Databases land, one restarts and all leave; the agent dies once, at a write. Returns what remains. */
    const story = async (at: number): Promise<{ died: boolean; result: unknown }> => {
      await node.startAgent({ at, after });
      let died = false;
      const alive = async (): Promise<void> => {
        if (!node.agentEnded) return;
        died = true;
        await node.stopAgent();
        await node.startAgent();
      };
      const pod = await node.land("a", "0-1");
      let id = "";
      const tuned = async (): Promise<void> => {
        await until(async () => {
          await alive();
          const [job] = (await node.jobs()).filter(
            ({ status, metadata }) => !status?.conditions && !metadata.deletionTimestamp,
          );
          if (job) await node.complete(job);
          return (await node.release(pod))?.containerId === id;
        });
      };
      id = (await node.release(pod))?.containerId ?? (await node.restartContainer(pod, "0-1"));
      await tuned();
      id = await node.restartContainer(pod, "0-1");
      await tuned();
      await node.leave("a");
      await until(async () => {
        await alive();
        const jobs = await node.jobs();
        for (const job of jobs) if (!job.status?.conditions) await node.complete(job);
        return (
          jobs.length === 1 && inputsOf(jobs[0]!).purpose === "return" && jobs[0]!.status?.conditions !== undefined
        );
      });
      const [last] = await node.jobs();
      const result = inputsOf(last!).irqCpus;
      await node.stopAgent();
      await node.admin.delete(kinds.job, last!.metadata.name ?? "", {
        namespace: tuningNamespace,
        propagationPolicy: "Background",
      });
      return { died, result };
    };
    let deaths = 0;
    for (let at = 0; ; at++) {
      const { died, result } = await story(at);
      expect(result).toBe("0-7");
      if (!died) break;
      deaths++;
    }
    expect(deaths).toBeGreaterThanOrEqual(4);
  });
});
