import { describe, expect, it } from "vitest";
import { at, deepFreeze } from "../../../language/object/json.ts";
import { askingPod, partitioned, reviewOf } from "../testing/review.ts";
import { admitPod } from "./admit-pod.ts";
import { containersOf } from "./pod.ts";

const small = { requests: { cpu: "250m", memory: "1Gi" } };
const moved = { memory: "1Gi", "management.workload.openshift.io/cores": "250" };
const resources = "resources.workload.openshift.io/";

describe("pods that say they are the kubelet's (partitioning P-2)", () => {
  const source = { "kubernetes.io/config.source": "file" };
  const mirror = { ...source, "kubernetes.io/config.mirror": "hash" };
  const node = { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] };
  const cases: [string, object, object, string][] = [
    ["pass if their node creates their mirror", mirror, node, "static-pod"],
    ["are ordinary without the mirror annotation", source, node, "rewritten"],
    ["are ordinary if a user creates them", mirror, { username: "eve", groups: ["system:authenticated"] }, "rewritten"],
    ["are ordinary if another node creates them", mirror, { ...node, username: "system:node:n2" }, "rewritten"],
    ["are ordinary if the user only has the name of a node", mirror, { ...node, groups: [] }, "rewritten"],
  ];

  it.each(cases)("%s", (_, annotations, user, rule) => {
    const pod = askingPod([{ name: "c", resources: small }], annotations, { nodeName: "n1" });
    expect(admitPod(reviewOf(pod, "documented", { user })).rule).toBe(rule);
  });

  it("are ordinary if they are bound to no node", () => {
    const pod = askingPod([{ name: "c", resources: small }], mirror);
    expect(admitPod(reviewOf(pod, "documented", { user: { ...node, username: "system:node:" } })).rule).toBe(
      "rewritten",
    );
  });
});

describe("containers of every kind (partitioning P-3)", () => {
  it("moves sidecars and init containers, and leaves ephemeral ones, which have no resources", () => {
    const pod = askingPod(
      [{ name: "c", resources: small }],
      {},
      {
        initContainers: [
          { name: "i", resources: small },
          { name: "s", restartPolicy: "Always", resources: small },
        ],
        ephemeralContainers: [{ name: "e" }],
      },
    );
    const { object } = admitPod(reviewOf(deepFreeze(pod)));
    expect(containersOf(object).map((one) => one.resources?.requests)).toEqual([moved, moved, moved]);
    expect(at(object, "spec", "ephemeralContainers")).toEqual([{ name: "e" }]);
    expect(Object.keys(object.metadata.annotations ?? {}).filter((key) => key.startsWith(resources))).toHaveLength(3);
  });

  it.each([{ requests: { cpu: "1" } }, { limits: { cpu: "1", memory: "1Gi" } }])(
    "leaves a pod alone whose own resources are %j: no workload resource can replace CPU there",
    (own) => {
      const { object, rule, warnings } = admitPod(
        reviewOf(askingPod([{ name: "c", resources: small }], {}, { resources: own })),
      );
      expect([rule, containersOf(object)[0]?.resources]).toEqual(["pod-level-cpu", small]);
      expect(object.metadata.annotations).toEqual({ "workload.openshift.io/warning": warnings[0] });
    },
  );

  it("moves a pod whose own resources have memory alone", () => {
    const pod = askingPod([{ name: "c", resources: small }], {}, { resources: { requests: { memory: "1Gi" } } });
    expect(admitPod(reviewOf(pod)).rule).toBe("rewritten");
  });
});

describe("a second admission (partitioning P-1)", () => {
  const limited = { requests: { cpu: "250m", memory: "1Gi" }, limits: { cpu: "500m" } };

  it("keeps the limit that only the annotation has", () => {
    const first = admitPod(reviewOf(askingPod([{ name: "c", resources: limited }]), "current"));
    expect(first.object.metadata.annotations).toMatchObject({ [`${resources}c`]: '{"cpushares":256,"cpulimit":500}' });
    expect(admitPod(reviewOf(deepFreeze(first.object), "current"))).toMatchObject({
      type: "unchanged",
      rule: "rewritten",
    });
  });

  it("moves containers that another webhook has injected", () => {
    const { object } = admitPod(reviewOf(askingPod([{ name: "c", resources: small }])));
    const injected = {
      ...object,
      spec: { containers: [...containersOf(object), { name: "proxy", resources: small }] },
    };
    const again = admitPod(reviewOf(injected));
    expect(containersOf(again.object).map((one) => one.resources?.requests)).toEqual([moved, moved]);
    expect(again.object.metadata.annotations).toHaveProperty([`${resources}proxy`]);
  });

  it("stays on reserved CPUs if CPU that was added would make the pod Guaranteed", () => {
    const even = { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } };
    const { object } = admitPod(reviewOf(askingPod([{ name: "c", resources: even }])));
    const both = { ...moved, "management.workload.openshift.io/cores": "1k", cpu: "100m" };
    const changed = { ...object, spec: { containers: [{ name: "c", resources: { requests: both, limits: both } }] } };
    expect(admitPod(reviewOf(changed)).object).toEqual(object);
  });

  it("gives CPU back where instructions are ignored, as when a pod is restored from another cluster", () => {
    const { object } = admitPod(reviewOf(askingPod([{ name: "c", resources: limited }]), "current"));
    const view = { ...partitioned, namespace: { type: "found", name: "other", annotations: {} } as const };
    const left = admitPod(reviewOf(object, "current", { view }));
    expect([left.rule, containersOf(left.object)[0]?.resources]).toEqual(["ns-not-annotated", limited]);
  });
});

it("touches no resources of a best-effort pod, also if it asks for zero CPU, or for cores", () => {
  const cores = { "management.workload.openshift.io/cores": "1" };
  const containers = [{ cpu: "0" }, { cpu: "0", ...cores }, cores].map((requests, index) => ({
    name: `c${index}`,
    resources: { requests, limits: requests },
  }));
  const { object } = admitPod(reviewOf(askingPod(containers), "current"));
  expect(containersOf(object)).toEqual(containers);
  expect(object.metadata.annotations).toMatchObject({ [`${resources}c0`]: '{"cpushares": 2}' });
  expect(admitPod(reviewOf(object, "current")).type).toBe("unchanged");
});

it("leaves the pod it was given as it is: its controller's template keeps the annotation (partitioning P-5)", () => {
  const pod = deepFreeze(askingPod([{ name: "c", resources: small }]));
  expect(admitPod(reviewOf(pod)).type).toBe("changed");
  expect(pod.metadata.annotations).toHaveProperty(["target.workload.openshift.io/management"]);
});

it("names the fragment by which tests of OpenShift find a namespace without annotation", () => {
  const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: {} } as const };
  const { warnings } = admitPod(reviewOf(askingPod([{ name: "c", resources: small }]), "documented", { view }));
  expect(warnings[0]).toContain("namespace is not annotated with workload.openshift.io/allowed");
});

it("takes the identifier for AllNodes without a topology, and a cluster without one for off", () => {
  const known = { state: "known", mode: "AllNodes", controlPlaneTopology: "", infrastructureTopology: "" } as const;
  const rule = (view: Partial<typeof partitioned>): string =>
    admitPod(
      reviewOf(askingPod([{ name: "c", resources: small }]), "documented", { view: { ...partitioned, ...view } }),
    ).rule;
  expect(rule({ identifier: known })).toBe("rewritten");
  expect(rule({ identifier: { ...known, state: "absent", mode: "None" } })).toBe("partitioning-off");
  expect(rule({ identifier: { state: "unreadable", reason: "timeout" } })).toBe("infra-lookup-failed");
  expect(rule({ ready: false })).toBe("caches-unsynced");
  expect(rule({ namespace: { type: "missing", name: "some" } })).toBe("namespace-not-found");
});

describe("a pod for one node, as of a DaemonSet, whose node has no cores", () => {
  const matchFields = [{ key: "metadata.name", operator: "In", values: ["bare"] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  const node = (name: string, amounts: object) => ({ name, capacity: { ...amounts }, allocatable: {} });
  const nodes = [node("bare", {}), node("ready", { "management.workload.openshift.io/cores": "4k" })];
  const view = { ...partitioned, nodes };
  const containers = [{ name: "c", resources: small }];
  const rule = (spec: object, more: object = {}, release: "documented" | "current" = "documented"): string =>
    admitPod(reviewOf(askingPod(containers, {}, spec), release, { view: { ...view, ...more } })).rule;

  it("runs there as an ordinary pod, and says why: it may be what makes the node ready", () => {
    expect(rule({ affinity: { nodeAffinity } })).toBe("node-without-cores");
    expect(rule({ nodeName: "bare" })).toBe("node-without-cores");
    const { object } = admitPod(reviewOf(askingPod(containers, {}, { nodeName: "bare" }), "documented", { view }));
    expect(containersOf(object)).toEqual(containers);
    expect(object.metadata.annotations).toEqual({
      "workload.openshift.io/warning": expect.stringContaining("node bare") as string,
    });
  });

  it("is rewritten where it may run elsewhere, where nothing is known of the node, and where agents add cores", () => {
    const two = { nodeSelectorTerms: [{ matchFields }, { matchExpressions: [] }] };
    const either = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: two } };
    for (const spec of [{}, { affinity: either }, { nodeName: "ready" }, { nodeName: "new" }])
      expect(rule(spec)).toBe("rewritten");
    expect(rule({ nodeName: "bare" }, { coresFrom: "agent" })).toBe("rewritten");
    expect(rule({ nodeName: "bare" }, {}, "current")).toBe("rewritten");
  });

  it.each([
    null,
    "x",
    { nodeAffinity: "x" },
    { nodeAffinity: { [Object.keys(nodeAffinity)[0] ?? ""]: { nodeSelectorTerms: [null] } } },
  ])("is rewritten with an affinity that says nothing: %j", (affinity) => expect(rule({ affinity })).toBe("rewritten"));
});
