import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { groupFile, isReady, type Pod, processesOf } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { pauseImage } from "../harness/node-programs.ts";
import { type Stage, tuned } from "../harness/stage.ts";

const size = { cpu: "1", memory: "32Mi" };
const exclusive = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "exclusive", namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "only", image: pauseImage, resources: { requests: size, limits: size } }],
  },
};

/** As in the profiles that PerformanceProfiles lead to. */
const isolating = (cpu: string): string =>
  `[scheduler]\nisolated_cores=${cpu}\ncgroup_ps_blacklist=/kubepods\\.slice/\n`;

export function exclusiveCpuStory(stage: () => Stage): void {
  test("a pod with CPUs of its own keeps them while a profile moves the node's processes off them", async () => {
    const { cluster } = stage();
    const { machine } = cluster;
    const cpus = (pid: number): string =>
      /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync(machine.outside(`/proc/${pid}/status`), "utf8"))?.[1] ?? "";
    cluster.apply(exclusive);
    const pid = Number(machine.run("sh", "-c", "sleep 4242 >/dev/null 2>&1 & echo $!"));
    const all = cpus(pid);
    try {
      const pod = await eventually(60, "the pod runs", async () => {
        const found = await cluster.api.get<Pod>("/api/v1/namespaces/default/pods/exclusive");
        return found !== undefined && isReady(found) && found;
      });
      const own = groupFile(cluster, pod, "cpuset/cpuset.cpus");
      expect(own).toMatch(/^\d+$/);
      const [inPod = 0] = processesOf(cluster, pod);
      expect(cpus(inPod)).toBe(own);

      cluster.apply(tuned(isolating(own)));
      await eventually(60, "the node's process was moved", () => cpus(pid) !== all);
      expect(cpus(pid).split(/[,-]/)).not.toContain(own);
      expect([cpus(inPod), groupFile(cluster, pod, "cpuset/cpuset.cpus")]).toEqual([own, own]);

      cluster.kubectl(["delete", "tuned", "story", `--namespace=${tuningNamespace}`]);
      await eventually(60, "the node's process may run everywhere again", () => cpus(pid) === all);
      expect([cpus(inPod), groupFile(cluster, pod, "cpuset/cpuset.cpus")]).toEqual([own, own]);
      stage().figures.add("CPU of its own of a pod, of all", `${own} of ${availableParallelism()}, kept`);
    } finally {
      machine.run("kill", String(pid));
      cluster.kubectl(["delete", "pod", "exclusive", "--namespace=default", "--ignore-not-found"]);
    }
  });
}
