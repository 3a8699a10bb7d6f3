import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runDeployments } from "../../src/embedded/lab/workloads/deployment/deployment-controller.ts";
import { runJobs } from "../../src/embedded/lab/workloads/job/job-controller.ts";
import { runReplicaSets } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import { runStatefulSets } from "../../src/embedded/lab/workloads/stateful-set/stateful-set-controller.ts";
import { prepared } from "./stage.ts";

const selector = (app: string): { matchLabels: { app: string } } => ({ matchLabels: { app } });
const template = (app: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "one" }] },
});

describe("controllers whose caches lag behind", () => {
  it.each<{ which: string; lags: Record<string, number> }>([
    { which: "all the same", lags: { pods: 300, replicasets: 300, jobs: 300, statefulsets: 300, deployments: 300 } },
    { which: "pods most", lags: { pods: 900 } },
    { which: "owners most", lags: { pods: 50, replicasets: 700, jobs: 900, statefulsets: 800, deployments: 600 } },
    { which: "revisions most", lags: { controllerrevisions: 2000 } },
  ])("make and delete no more than is asked for: $which", async ({ lags }) => {
    const stage = await prepared(runDeployments, runReplicaSets, runStatefulSets, runJobs);
    const writes = new Map<string, number>();
    stage.start({
      lagMs: (plural) => lags[plural] ?? 0,
      onWrite: (write) => writes.set(write, (writes.get(write) ?? 0) + 1),
    });
    stage.play = (pod) =>
      pod.metadata.ownerReferences?.[0]?.kind === "Job" ? { phase: "Succeeded" } : stage.ready(pod);
    const live = async (): Promise<void> => {
      for (let second = 0; second < 30; second++) {
        await stage.playKubelets();
        await stage.clock.advance(1000);
      }
    };
    await stage.create(kinds.deployment, {
      metadata: { name: "web" },
      spec: { replicas: 4, selector: selector("web"), template: template("web") },
    });
    await stage.create(kinds.statefulSet, {
      metadata: { name: "db" },
      spec: { replicas: 2, serviceName: "db", selector: selector("db"), template: template("db") },
    });
    await stage.create(kinds.job, {
      metadata: { name: "sum" },
      spec: {
        completions: 5,
        parallelism: 2,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } },
      },
    });
    await live();
    expect(writes.get("create pods")).toBe(4 + 2 + 5);
    expect(writes.get("create replicasets")).toBe(1);
    expect(writes.get("create controllerrevisions")).toBe(1);
    expect(writes.get("delete pods")).toBeUndefined();
    expect((await stage.get(kinds.job, "sum")).status).toMatchObject({ succeeded: 5, uncountedTerminatedPods: {} });
    await stage.merge(kinds.deployment, "web", { spec: { replicas: 1 } });
    await live();
    expect(writes.get("delete pods")).toBe(3);
    await stage.close();
  });
});
