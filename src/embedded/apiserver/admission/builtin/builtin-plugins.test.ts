import { expect, it } from "vitest";
import { clone, deepFreeze } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Authorizer } from "../../auth/user.ts";
import { levelsChangedInPlace } from "../admission.ts";
import { attributesOf } from "../testing/attributes.ts";
import { builtinPlugins } from "./builtin-plugins.ts";

const named = (name: string, rest: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "K",
  metadata: { name },
  ...rest,
});

const stored: Readonly<Record<string, KubeObject>> = {
  "serviceaccounts default/default": named("default", { imagePullSecrets: [{ name: "pull" }] }),
  "runtimeclasses.node.k8s.io r": named("r", {
    overhead: { podFixed: { cpu: "1" } },
    scheduling: { nodeSelector: { a: "1" }, tolerations: [{ key: "k", operator: "Exists" }] },
  }),
  "priorityclasses.scheduling.k8s.io high": named("high", { value: 7 }),
  "nodes n": { ...named("n"), metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "z" } } },
  "storageclasses.storage.k8s.io c": {
    ...named("c"),
    metadata: { name: "c", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  },
};
const objects = {
  head: (collection: string, key: string) => stored[`${collection} ${key}`],
  list: (collection: string) =>
    Object.entries(stored).flatMap(([key, object]) => (key.startsWith(`${collection} `) ? [object] : [])),
};

const container = {
  name: "c",
  image: "i",
  resources: { requests: { cpu: "1" } },
  env: [{ name: "E", value: "v" }],
  volumeMounts: [{ name: "v", mountPath: "/v" }],
};
const pod = {
  containers: [container],
  initContainers: [container],
  runtimeClassName: "r",
  priorityClassName: "high",
  nodeName: "n",
  tolerations: [{ key: "t", operator: "Exists" }],
  volumes: [{ name: "v", projected: { sources: [{ configMap: { name: "m" } }] } }],
};

// Before a second round of plug-ins only the upper levels of the object are copied: webhooks that must see a change that a plug-in
// made below them would not be called again.
it.each<[string, object]>([
  ["pods", pod],
  ["persistentvolumeclaims", { resources: { requests: { storage: "1Gi" } } }],
  ["nodes", { taints: [{ key: "t", effect: "NoSchedule" }] }],
])("replace the deeper parts of %s instead of changing them", (plural, spec) => {
  const object = { ...named("p", { spec: clone(spec) }) };
  const before = clone(object);
  freezeBelow(object, levelsChangedInPlace);
  const attributes = attributesOf(plural, { object });
  for (const plugin of builtinPlugins(objects, {} as Authorizer))
    if (plugin.handles(attributes)) void plugin.admit?.(attributes);
  expect(attributes.object).not.toEqual(before);
});

function freezeBelow(value: unknown, levels: number): void {
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) deepFreeze(value);
  else for (const child of Object.values(value)) freezeBelow(child, levels - 1);
}
