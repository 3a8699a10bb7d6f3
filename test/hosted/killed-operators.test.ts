import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { equal } from "../../src/language/object/json.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { StopAtWrite } from "../performance-profile/stopped-operator.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { type Observation, observe } from "./profile-observation.ts";
import { Rollouts } from "./profile-rollouts.ts";
import { ProfileWorld } from "./profile-world.ts";
import { reportAlways } from "./reporting-node.ts";
import { type TwoClusters, twoClusters } from "./two-clusters.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run: a kill at every write (only with ATTUNE_LONG)");
const prefix = "hypershift.openshift.io/";

const manifest = (isolated: string, reserved: string): object => ({
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  metadata: { name: "perf" },
  spec: { cpu: { isolated, reserved }, nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" } },
});

const input = {
  name: "pp",
  labels: { [`${prefix}performanceprofile-config`]: "true", [`${prefix}nodePool`]: "np1" },
  annotations: { [`${prefix}nodePool`]: "clusters/np1" },
  data: { tuning: [manifest("1-3", "0")] },
};

const isAvailable = ({ children }: Observation, reserved: string): boolean => {
  const { "pp/status": status, "pp/KubeletConfig": kubelet } = children as Record<string, Record<string, unknown>>;
  return status?.["state"] === "Available" && kubelet?.["reserved"] === reserved;
};

const changes: readonly {
  readonly name: string;
  readonly make: (world: ProfileWorld) => Promise<void>;
  readonly isMade: (seen: Observation) => boolean;
}[] = [
  {
    name: "application",
    make: (world) => world.createConfigMap(input),
    isMade: (seen) => isAvailable(seen, "0"),
  },
  {
    name: "edit",
    make: (world) => world.change({ patch: "ConfigMap/pp", merge: { data: { tuning: [manifest("2-3", "0-1")] } } }),
    isMade: (seen) => isAvailable(seen, "0-1"),
  },
  {
    name: "deletion",
    make: (world) => world.change({ delete: "ConfigMap/pp" }),
    isMade: ({ inputs, children, boot, tuneds, runtimeClasses }) =>
      [inputs, children, boot, tuneds, runtimeClasses].every((part) => Object.keys(part).length === 0),
  },
];

for (const protocol of isLong ? (["documented", "shipped"] as const) : (["documented"] as const))
  describe(`the operator of a hosted cluster, ${protocol}`, { timeout: 1_800_000 }, () => {
    let clusters: TwoClusters;
    let world: ProfileWorld;
    const end = new AbortController();
    let agent: Promise<void>;
    beforeAll(async () => {
      clusters = await twoClusters();
      world = new ProfileWorld(clusters, protocol);
      await world.prepare();
      await world.createNode("np1-a");
      agent = reportAlways(world, "np1-a", end.signal);
    });
    afterAll(async () => {
      end.abort();
      await agent;
      await clusters.close();
    });

    it("may be killed at any write: a change ends in the same state, after one rollout", async () => {
      const rollouts = new Rollouts(world.management, "np1");
      const ends: Observation[] = [];
      // The first is not killed.
      const kills = isLong ? Infinity : 1;
      const killed: string[] = [];
      for (let at = Infinity, isReached = true, round = 0; isReached && round <= kills; round++) {
        isReached = round === 0;
        for (const [index, { name, make, isMade }] of changes.entries()) {
          const before = rollouts.targets.length;
          await make(world);
          const wanted = ends[index];
          const isOver = async (): Promise<boolean> => {
            const seen = await observe(world);
            return wanted ? equal(seen, wanted) : isMade(seen);
          };
          if (await run(at, isOver)) {
            killed.push(`${name}, write ${at}`);
            isReached = true;
            await run(Infinity, isOver);
          }
          ends[index] ??= await observe(world);
          expect([name, at, rollouts.targets.length - before]).toEqual([name, at, 1]);
          expect(await observe(world)).toEqual(ends[index]);
        }
        at = isLong ? round + 1 : 5;
      }
      await rollouts.stop();
      console.log(`${protocol}: killed ${killed.length} times, last at ${killed.at(-1)}`);
      expect(killed.length).toBeGreaterThanOrEqual(isLong ? 30 : 3);
    });

    /** Whether it was killed at that write, before the change was over. */
    async function run(at: number, isOver: () => Promise<boolean>): Promise<boolean> {
      const life = new StopAtWrite(at);
      const { management, hosted } = clusters;
      const operator = new HostedOperator(
        { management: { client: life.client(management.client) }, hosted: { client: life.client(hosted.client) } },
        protocol,
      );
      operator.start(life.signal);
      await eventually(`the change is over, or write ${at}`, async () => life.isReached || (await isOver()));
      // It would be killed by the writes of this, where the change took fewer.
      if (at === Infinity) await world.processed();
      await operator.stop();
      return life.isReached;
    }
  });
