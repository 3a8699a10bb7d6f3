import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runDeployments } from "../../src/embedded/lab/workloads/deployment/deployment-controller.ts";
import { runJobs } from "../../src/embedded/lab/workloads/job/job-controller.ts";
import { runReplicaSets } from "../../src/embedded/lab/workloads/replica-set/replica-set-controller.ts";
import { runStatefulSets } from "../../src/embedded/lab/workloads/stateful-set/stateful-set-controller.ts";
import type { Pod } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { prepared, type Stage } from "./stage.ts";

const controllers = [runDeployments, runReplicaSets, runStatefulSets, runJobs];
const labels = (app: string): { app: string } => ({ app });
const template = (app: string, image: string): object => ({
  metadata: { labels: labels(app) },
  spec: { containers: [{ name: "c", image }] },
});
const isOfJob = ({ metadata }: Pod): boolean => metadata.ownerReferences?.[0]?.kind === "Job";

/** A scenario with all four kinds. Its final state must not depend on when the controllers crash. */
async function act(stage: Stage, live: () => Promise<void>): Promise<void> {
  stage.play = (pod) => (isOfJob(pod) ? { phase: "Succeeded" } : stage.ready(pod));
  await stage.create(kinds.deployment, {
    metadata: { name: "web" },
    spec: { replicas: 3, selector: { matchLabels: labels("web") }, template: template("web", "one") },
  });
  await stage.create(kinds.statefulSet, {
    metadata: { name: "db" },
    spec: { replicas: 2, serviceName: "db", selector: { matchLabels: labels("db") }, template: template("db", "one") },
  });
  await stage.create(kinds.job, {
    metadata: { name: "sum" },
    spec: {
      completions: 3,
      parallelism: 2,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } },
    },
  });
  await live();
  const image = { spec: { template: { spec: { containers: [{ name: "c", image: "two" }] } } } };
  await stage.merge(kinds.deployment, "web", image);
  await stage.merge(kinds.statefulSet, "db", image);
  await live();
  await stage.merge(kinds.deployment, "web", { spec: { replicas: 2 } });
  await stage.merge(kinds.statefulSet, "db", { spec: { replicas: 1 } });
  await live();
}

interface Ending {
  pods: Record<string, number>;
  sum: unknown[];
  [part: string]: unknown;
}

async function ending(stage: Stage): Promise<Ending> {
  const count = (pods: Pod[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { metadata, spec, status } of pods) {
      const kind = `${metadata.ownerReferences?.[0]?.kind} ${spec?.containers[0]?.image} ${status?.phase}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  };
  const { status: web } = await stage.get(kinds.deployment, "web");
  const { status: db } = await stage.get(kinds.statefulSet, "db");
  const { status: sum } = await stage.get(kinds.job, "sum");
  return {
    pods: count(await stage.pods()),
    replicaSets: (await stage.list(kinds.replicaSet))
      .map(({ spec }) => spec?.replicas)
      .toSorted((a = 0, b = 0) => a - b),
    revisions: (await stage.list(kinds.controllerRevision)).map(({ revision }) => revision).toSorted((a, b) => a - b),
    web: [web?.replicas, web?.updatedReplicas, web?.availableReplicas, web?.observedGeneration],
    db: [db?.replicas, db?.updatedReplicas, db?.currentRevision === db?.updateRevision, db?.observedGeneration],
    sum: [sum?.succeeded, sum?.failed, sum?.conditions?.map(({ type }) => type), sum?.uncountedTerminatedPods],
  };
}

const expected = {
  pods: { "ReplicaSet two Running": 2, "StatefulSet two Running": 1, "Job one Succeeded": 3 },
  replicaSets: [0, 2],
  revisions: [1, 2],
  web: [2, 2, 2, 3],
  db: [1, 1, true, 3],
  sum: [3, undefined, ["SuccessCriteriaMet", "Complete"], {}],
};

interface Fault {
  /** Whether the controllers crash after this write, and restart. */
  crashes?: (write: number) => boolean;
  /** Whether this write is carried out and its response lost. */
  loses?: (write: number) => boolean;
}

async function play(fault: Fault): Promise<{ writes: number; end: Ending }> {
  const stage = await prepared(...controllers);
  let writes = 0;
  let crashing = false;
  const start = (): void => {
    crashing = false;
    stage.start({
      // Requests of crashed controllers fail.
      beforeWrite: () => {
        if (crashing) throw new Error("the process is gone");
      },
      onWrite: (write) => {
        if (write.endsWith("events")) return;
        const number = writes++;
        crashing ||= fault.crashes?.(number) ?? false;
        if (fault.loses?.(number)) throw new ApiError({ code: 0, reason: "Unreachable", message: "reset" });
      },
    });
  };
  const live = async (): Promise<void> => {
    for (let quiet = 0; quiet < 10;) {
      const before = stage.server.store.revision;
      await stage.playKubelets();
      await stage.clock.advance(50);
      if (crashing) {
        await stage.crash();
        start();
        quiet = 0;
      } else quiet = stage.server.store.revision === before ? quiet + 1 : 0;
    }
  };
  start();
  await act(stage, live);
  const end = await ending(stage);
  await stage.close();
  return { writes, end };
}

describe("controllers that crash", () => {
  // Together the runs crash after every write.
  it.each([0, 1, 2, 3, 4])(
    "reach the same state if they crash after every fifth write, from write %i on",
    async (first) => {
      const { writes, end } = await play({ crashes: (write) => write % 5 === first });
      expect(end).toEqual(expected);
      expect(writes).toBeGreaterThan(40);
    },
  );

  it("reach the same state if they crash after every write", async () => {
    expect((await play({ crashes: () => true })).end).toEqual(expected);
  });
});

describe("controllers whose responses are lost", () => {
  it("reach the same state, though they cannot know which writes were done", async () => {
    const { end } = await play({ loses: (write) => write % 4 === 1 });
    const { pods, sum, ...rest } = end;
    const { pods: _, sum: __, ...wanted } = expected;
    expect(rest).toEqual(wanted);
    expect(pods).toMatchObject({ "ReplicaSet two Running": 2, "StatefulSet two Running": 1 });
    // A pod whose creation got no response may also have succeeded before its deletion.
    expect(sum[0]).toBeGreaterThanOrEqual(3);
    expect(sum.slice(1)).toEqual(expected.sum.slice(1));
  });
});
