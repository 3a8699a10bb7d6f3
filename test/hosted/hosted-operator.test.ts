import { afterAll, beforeAll, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { equal } from "../../src/language/object/json.ts";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { controlPlane, type TwoClusters, twoClusters } from "./two-clusters.ts";

let clusters: TwoClusters;
beforeAll(async () => {
  clusters = await twoClusters();
});
afterAll(() => clusters.close());

it("a Tuned of a ConfigMap reaches the nodes of its NodePool, and no others", async () => {
  const { management, hosted } = clusters;
  const operator = new HostedOperator(clusters);
  operator.start();
  for (const pool of ["np1", "np2"])
    await hosted.client.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: `${pool}-node`,
        labels: { "kubernetes.io/os": "linux", "hypershift.openshift.io/nodePool": pool },
      },
    });
  const tuned = {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name: "web" },
    spec: { profile: [{ name: "web", data: "[main]\n" }], recommend: [{ profile: "web", priority: 20 }] },
  };
  await management.client.create(kinds.configMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "tuned-np1",
      namespace: controlPlane,
      labels: { "hypershift.openshift.io/tuned-config": "true" },
      annotations: { "hypershift.openshift.io/nodePool": "clusters/np1" },
    },
    data: { tuned: writeYaml(tuned) },
  });
  const place = { namespace: tuningNamespace };
  const chosen = { "np1-node": "web", "np2-node": "openshift-node" };
  await eventually("each node has its Profile", async () => {
    const profiles = await hosted.client.list(profileKind, place);
    const found = profiles.items.map(({ metadata, spec }) => [metadata.name, spec.config.tunedProfile]);
    return equal(Object.fromEntries(found), chosen);
  });
  const { items } = await hosted.client.list(tunedKind, place);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["default", "web-566a8046"]);
  await operator.stop();
});
