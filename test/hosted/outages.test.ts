import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf, textOf } from "./cases.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { Relay } from "./relay.ts";
import { controlPlane, poolNamespace, type TwoClusters, twoClusters } from "./two-clusters.ts";

const poolLabel = "hypershift.openshift.io/nodePool";
const marks = { "hypershift.openshift.io/tuned-config": "true", [poolLabel]: "np1" };
const annotations = { [poolLabel]: "clusters/np1" };
const inTuning = { namespace: tuningNamespace };

let clusters: TwoClusters;
let ways: Record<"management" | "hosted", Relay>;
let operator: HostedOperator;

beforeAll(async () => {
  clusters = await twoClusters();
  const management = await Relay.to(clusters.management.server);
  const hosted = await Relay.to(clusters.hosted.server);
  ways = { management: management.relay, hosted: hosted.relay };
  operator = new HostedOperator({ management, hosted });
  await clusters.hosted.client.create(kinds.node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "np1-a", labels: { "kubernetes.io/os": "linux", [poolLabel]: "np1" } },
  });
  for (const [namespace, tuned] of [
    [controlPlane, "good"],
    [poolNamespace, "foreign"],
  ]) {
    const { metadata, ...content } = configMapOf({
      name: "tuned-np1",
      labels: marks,
      annotations,
      data: { tuned: [{ tuned, priority: 20 }] },
    });
    await clusters.management.client.create(configMapKind, {
      ...content,
      metadata: { ...metadata, namespace, uid: undefined },
    });
  }
  operator.start();
  await chosen("good");
});
afterEach(async () => {
  for (const way of Object.values(ways)) way.restore();
  await change("good");
  await chosen("good");
});
afterAll(async () => {
  await operator?.stop();
  for (const way of Object.values(ways ?? {})) await way.close();
  await clusters?.close();
});

async function change(tuned: string): Promise<void> {
  await write(textOf([{ tuned, priority: 20 }]));
}

async function write(text: string): Promise<void> {
  const patch = { data: { tuned: text } };
  await clusters.management.client.patch(
    kinds.configMap,
    "tuned-np1",
    { type: "merge", patch },
    { namespace: controlPlane },
  );
}

/** The node has the profile of this Tuned, and the hosted cluster no other Tuned. */
async function chosen(tuned: string): Promise<void> {
  await eventually(`the node has ${tuned}-profile`, async () => {
    const { client } = clusters.hosted;
    const { spec } = await client.get(profileKind, "np1-a", inTuning);
    const { items } = await client.list(tunedKind, inTuning);
    const names = items.map(({ metadata }) => metadata.name);
    return spec.config.tunedProfile === `${tuned}-profile` && names.join() === `default,${tuned}-566a8046`;
  });
}

async function editTuned(): Promise<void> {
  const patch = { spec: { recommend: [{ profile: "openshift-node", priority: 1 }] } };
  await clusters.hosted.client.patch(tunedKind, "good-566a8046", { type: "merge", patch }, inTuning);
}

async function reverted(): Promise<void> {
  await eventually("the Tuned is as its ConfigMap has it", async () => {
    const { spec } = await clusters.hosted.client.get(tunedKind, "good-566a8046", inTuning);
    return spec?.recommend?.[0]?.profile === "good-profile";
  });
}

const outages = [
  ["does not answer", "freeze"],
  ["is down", "cut"],
] as const;

describe("while an API server", { timeout: 120_000 }, () => {
  it.each(outages)("of the management cluster %s, edits in the hosted cluster are reverted", async (_, how) => {
    ways.management[how]();
    await editTuned();
    await reverted();
    ways.management.restore();
    await change("next");
    await chosen("next");
  });

  it.each(outages)("of the hosted cluster %s, changes wait for it", async (_, how) => {
    ways.hosted[how]();
    await change("next");
    ways.hosted.restore();
    await chosen("next");
  });

  it.each(outages)(
    "of the management cluster %s, an operator that restarts continues when it is back",
    async (_, how) => {
      await operator.stop();
      ways.management[how]();
      operator.start();
      await change("next");
      await editTuned();
      ways.management.restore();
      await chosen("next");
    },
  );
});

describe("a ConfigMap that cannot be read", { timeout: 60_000 }, () => {
  it("keeps what it gave, also across a restart, and edits in the hosted cluster are still reverted", async () => {
    await eventually("the last content is noted", () =>
      clusters.management.client.get(kinds.configMap, "last-good-tuned-np1", { namespace: controlPlane }),
    );
    await write("a: [1");
    await editTuned();
    await reverted();
    await operator.stop();
    await editTuned();
    operator.start();
    await reverted();
    await chosen("good");
  });
});

it("nothing of another namespace of the management cluster is read", async () => {
  const { items } = await clusters.hosted.client.list(tunedKind, inTuning);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["default", "good-566a8046"]);
});
