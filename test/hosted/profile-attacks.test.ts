import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runtimeClassKind } from "../../src/domain/performance-profile/api.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { cuttable } from "./hostile-clients.ts";
import { type Observation, observe } from "./profile-observation.ts";
import { Rollouts } from "./profile-rollouts.ts";
import { ProfileWorld } from "./profile-world.ts";
import { controlPlane, type TwoClusters, twoClusters } from "./two-clusters.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong) console.log("not run: many edits, two operators (only with ATTUNE_LONG)");
const prefix = "hypershift.openshift.io/";
const report = { status: { applied: "True" }, bootcmdline: "x", deps: "current" };

function profile(name: string, spec: object = {}): object {
  return {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec: {
      cpu: { isolated: "1-3", reserved: "0" },
      nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" },
      ...spec,
    },
  };
}

const named = (name: string, nodePool: string): { name: string; labels: object; annotations: object } => ({
  name,
  labels: { [`${prefix}performanceprofile-config`]: "true", [`${prefix}nodePool`]: nodePool },
  annotations: { [`${prefix}nodePool`]: `clusters/${nodePool}` },
});

let clusters: TwoClusters;
let world: ProfileWorld;
beforeAll(async () => {
  clusters = await twoClusters();
  world = new ProfileWorld(clusters, "documented");
  await world.prepare();
});
afterAll(() => clusters.close());

async function apply(configMap: string, nodePool: string, manifest: object): Promise<void> {
  await world.createConfigMap({ ...named(configMap, nodePool), data: { tuning: [manifest] } } as never);
}

async function edit(configMap: string, manifest: object): Promise<void> {
  await world.change({ patch: `ConfigMap/${configMap}`, merge: { data: { tuning: [manifest] } } });
}

async function remove(configMap: string): Promise<void> {
  await world.change({ delete: `ConfigMap/${configMap}` });
}

async function reaches(what: string, holds: (seen: Observation) => boolean): Promise<Observation> {
  return eventually(what, async () => {
    const seen = await observe(world);
    return holds(seen) && seen;
  });
}

const stateOf = (seen: Observation, configMap: string): Record<string, unknown> =>
  (seen.children[`${configMap}/status`] ?? {}) as Record<string, unknown>;

async function applied(configMap: string, runtimeClass: string): Promise<Observation> {
  return reaches(`${configMap} is applied`, (seen) => {
    const { state, runtimeClass: found } = stateOf(seen, configMap);
    return state === "Available" && found === runtimeClass;
  });
}

/** Once the node has this TuneD profile. */
async function reports(node: string, tuned: string): Promise<void> {
  await reaches(`${node} has ${tuned}`, ({ profiles }) => profiles[node] === `openshift-node-performance-${tuned}`);
  await world.processed();
  await world.change({ nodeSide: [{ node, ...report }] });
}

describe("a profile in a ConfigMap", () => {
  let operator: HostedOperator | undefined;
  const start = (between: TwoClusters = clusters): HostedOperator => {
    operator = new HostedOperator(between);
    operator.start();
    return operator;
  };
  afterEach(async () => {
    await operator?.stop();
    start();
    await world.clear();
    await operator?.stop();
  });

  it("costs one rollout when it is applied, edited, renamed and removed, whatever arrives first", async () => {
    start();
    await world.createNode("np1-a");
    const rollouts = new Rollouts(world.management, "np1");
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", "performance-perf");
    expect(rollouts.targets).toHaveLength(1);
    await edit("pp", profile("perf", { cpu: { isolated: "2-3", reserved: "0-1" } }));
    await reaches("the edit waits for its node", (seen) => stateOf(seen, "pp")["state"] === "Progressing");
    await reports("np1-a", "perf");
    await applied("pp", "performance-perf");
    expect(rollouts.targets).toHaveLength(2);
    await edit("pp", profile("second"));
    await reports("np1-a", "second");
    const seen = await applied("pp", "performance-second");
    expect(Object.keys(seen.children)).toHaveLength(4);
    await reaches("one RuntimeClass is left", ({ runtimeClasses }) => Object.keys(runtimeClasses).length === 1);
    expect(rollouts.targets).toHaveLength(3);
    await remove("pp");
    await reaches(
      "all is gone",
      ({ inputs, runtimeClasses }) => !inputs["pp"] && !runtimeClasses["performance-second"],
    );
    expect(rollouts.targets.at(-1)).toBe("");
    expect(rollouts.targets).toHaveLength(4);
    await rollouts.stop();
  });

  it.runIf(isLong)("is as it was written last, after many edits", async () => {
    start();
    await world.createNode("np1-a");
    await apply("pp", "np1", profile("perf"));
    for (let count = 0; count < 20; count++)
      await edit("pp", profile("perf", { numa: { topologyPolicy: count % 2 ? "restricted" : "best-effort" } }));
    await edit("pp", profile("perf", { numa: { topologyPolicy: "single-numa-node" } }));
    await reports("np1-a", "perf");
    const seen = await applied("pp", "performance-perf");
    expect(seen.children["pp/KubeletConfig"]).toMatchObject({ policy: "single-numa-node" });
    expect(Object.keys(seen.children)).toHaveLength(4);
  });

  it("is applied and removed whatever finalizer a hosted user puts on its RuntimeClass", async () => {
    start();
    await world.createNode("np1-a");
    const runtimeClass = "performance-perf";
    const hold = async (): Promise<string | undefined> => {
      const patch = { metadata: { finalizers: ["example.com/held"] } };
      const { metadata } = await world.hosted.patch(runtimeClassKind, runtimeClass, { type: "merge", patch });
      return metadata.uid;
    };
    const renewed = async (uid: string | undefined): Promise<void> => {
      await reaches("another one", ({ runtimeClasses }) => runtimeClasses[runtimeClass] !== undefined);
      await eventually("another one", async () => {
        const { metadata } = await world.hosted.get(runtimeClassKind, runtimeClass);
        return metadata.uid !== uid && metadata.deletionTimestamp === undefined;
      });
    };
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", runtimeClass);
    const first = await hold();
    await ifThere(world.hosted.delete(runtimeClassKind, runtimeClass));
    await renewed(first);
    await applied("pp", runtimeClass);
    const second = await hold();
    await remove("pp");
    await reaches("the management cluster has nothing of it", ({ inputs, children }) =>
      [inputs, children].every((part) => Object.keys(part).length === 0),
    );
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", runtimeClass);
    await renewed(second);
  });

  it("shares its RuntimeClass with that of another NodePool, and tells the younger where they differ (hosted W-19)", async () => {
    start();
    for (const node of ["np1-a", "np2-a"]) await world.createNode(node);
    await apply("one", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("one", "performance-perf");
    await apply("two", "np2", profile("perf", { nodeSelector: { "node-role.kubernetes.io/other": "" } }));
    await reports("np2-a", "perf");
    const seen = await reaches(
      "all but its RuntimeClass",
      (found) =>
        stateOf(found, "two")["reason"] === "RuntimeClassConflict" && found.children["two/KubeletConfig"] !== undefined,
    );
    expect(seen.runtimeClasses["performance-perf"]).toMatchObject({
      nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" },
    });
    await remove("one");
    const after = await applied("two", "performance-perf");
    expect(after.runtimeClasses["performance-perf"]).toMatchObject({
      nodeSelector: { "node-role.kubernetes.io/other": "" },
    });
  });

  it("is not disturbed by ConfigMaps of others with our labels, keys and names", async () => {
    start();
    await world.createNode("np1-a");
    const { management } = world;
    const foreign = [
      ["bad-profile", { [`${prefix}performanceprofile-config`]: "true" }, { tuned: "{", tuning: "[" }],
      ["bad-tuned", { [`${prefix}tuned-config`]: "true", [`${prefix}nodePool`]: "np2" }, { tuned: "a: [1" }],
      ["bad-status", { [`${prefix}nto-generated-performance-profile-status`]: "true" }, { status: "[" }],
      [
        "bad-config",
        { [`${prefix}nto-generated-machine-config`]: "true", [`${prefix}nodePool`]: "np2" },
        { config: "x" },
      ],
      ["no-label", {}, { config: writeYaml({ kind: "MachineConfig", metadata: { name: "50-performance-perf" } }) }],
      ["tuned-perf-566a8046", {}, { tuned: "mine" }],
    ] as const;
    for (const [name, labels, data] of foreign)
      await management.create(kinds.configMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: controlPlane, labels },
        data,
      });
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", "performance-perf");
    for (const [name, , data] of foreign.slice(0, -1)) {
      const found = await management.get(kinds.configMap, name, { namespace: controlPlane });
      expect(found.data).toEqual(data);
      await management.delete(kinds.configMap, name, { namespace: controlPlane });
    }
  });

  it("is removed with all that was derived from it, although the hosted cluster was away", async () => {
    const between = cuttable(clusters);
    start(between);
    await world.createNode("np1-a");
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", "performance-perf");
    between.isCut = true;
    await remove("pp");
    await world.processed();
    expect((await world.hosted.get(runtimeClassKind, "performance-perf")).metadata.name).toBe("performance-perf");
    between.isCut = false;
    await reaches("all is gone", ({ inputs, children, tuneds, runtimeClasses }) =>
      [inputs, children, tuneds, runtimeClasses].every((part) => Object.keys(part).length === 0),
    );
  });

  it.runIf(isLong)("is served as well by two operators at once", async () => {
    const other = new HostedOperator(clusters);
    start();
    other.start();
    await world.createNode("np1-a");
    await apply("pp", "np1", profile("perf"));
    await reports("np1-a", "perf");
    await applied("pp", "performance-perf");
    await edit("pp", profile("second"));
    await reports("np1-a", "second");
    await applied("pp", "performance-second");
    await world.processed();
    const before = await observe(world);
    await world.processed();
    expect(await observe(world)).toEqual(before);
    await other.stop();
  });
});
