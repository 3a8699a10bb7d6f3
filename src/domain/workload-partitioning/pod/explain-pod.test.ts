import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { WarningCode } from "../admission.ts";
import { releases } from "../release.ts";
import { askingPod, partitioned, reviewOf } from "../testing/review.ts";
import { admitPod } from "./admit-pod.ts";
import { explainPod } from "./explain-pod.ts";
import { remedies } from "./remedies.ts";
import { warningTexts } from "./texts.ts";

const limited = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } };
const pod = askingPod([{ name: "a", resources: limited }, { name: "b" }]);
const known = { view: partitioned, release: releases.documented };

function annotated(annotations: Record<string, string>): KubeObject {
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

describe("the explanation of a pod", () => {
  it("tells what a rewritten pod had, and what each container gets", () => {
    const admitted = admitPod(reviewOf(pod, "current")).object;
    expect(explainPod(admitted, { ...known, release: releases.current })).toEqual({
      namespace: "some",
      pod: "a",
      outcome: "rewritten",
      rule: "rewritten",
      because: "it asks for the CPUs of management, and may",
      workload: "management",
      changed: [
        "container a: CPU 1000m became management.workload.openshift.io/cores 1k",
        "added annotation resources.workload.openshift.io/a",
      ],
      containers: [
        { container: "a", cpu: "1000m", shares: "1024", limit: "2000m", sharedCpus: false },
        { container: "b", cpu: "none", sharedCpus: false },
      ],
    });
  });

  it("tells the rule and the text for which instructions were ignored", () => {
    const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: {} } as const };
    const explanation = explainPod(admitPod(reviewOf(pod, "documented", { view })).object, known);
    expect(explanation).toMatchObject({ outcome: "stripped", rule: "ns-not-annotated" });
    expect(explanation.because).toContain("the namespace is not annotated with workload.openshift.io/allowed");
    expect(explanation.now).toBeUndefined();
  });

  it("tells to create a pod anew whose namespace was annotated later", () => {
    const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: {} } as const };
    const ignored = admitPod(reviewOf(pod, "documented", { view })).object;
    expect(explainPod(ignored, { ...known, view }).remedy).toContain("kubectl annotate namespace some");
    expect(explainPod(ignored, known).remedy).toBe("create the pod anew: its namespace has been annotated since");
  });

  it("tells that a pod uses shared CPUs", () => {
    expect(explainPod(annotated({ "cpu-shared.crio.io/a": "enable" }), known)).toMatchObject({
      outcome: "rewritten",
      rule: "shared-cpus",
      changed: ["added annotation cpu-shared.crio.io/a"],
    });
  });

  it.each(Object.keys(warningTexts) as WarningCode[])("recognises the warning %s, and says what to do", (code) => {
    const warning = warningTexts[code]("any detail");
    const { rule, remedy } = explainPod(annotated({ "workload.openshift.io/warning": warning }));
    expect([rule, remedy]).toEqual([code, remedies[code]("some")]);
  });

  it("says that no webhook saw a pod that still has CPU requests, and what it would do now", () => {
    const plain = askingPod([{ name: "a", resources: { requests: { cpu: "1", memory: "1Gi" } } }]);
    expect(explainPod(plain, known)).toMatchObject({
      outcome: "passed",
      rule: "not-reviewed",
      containers: [{ container: "a", cpu: "1" }],
      now: { outcome: "rewritten", rule: "rewritten" },
    });
    const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: { ...none } } as const };
    expect(explainPod(plain, { ...known, view }).now).toMatchObject({
      outcome: "refused",
      rule: "namespace-type-not-allowed",
    });
  });

  it("says that a namespace has stopped to allow the pod, which could not be created again", () => {
    const admitted = admitPod(reviewOf(askingPod([{ name: "a" }]))).object;
    const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: { ...none } } as const };
    expect(explainPod(admitted, { ...known, view })).toMatchObject({
      outcome: "rewritten",
      now: { outcome: "refused", rule: "namespace-type-not-allowed" },
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ["asks for nothing", {}, "no-target"],
    ["is the mirror of a static pod", { "kubernetes.io/config.mirror": "x" }, "static-pod"],
    ["has two targets", { "target.workload.openshift.io/a": "", "target.workload.openshift.io/b": "" }, "not-reviewed"],
  ])("of a pod that %s is short", (_, annotations, rule) => {
    expect(explainPod(annotated(annotations))).toMatchObject({ outcome: "passed", rule, changed: [] });
  });

  it("names containers that use shared CPUs", () => {
    const explanation = explainPod(annotated({ "cpu-shared.crio.io/b": "enable" }));
    expect(explanation.changed).toEqual(["added annotation cpu-shared.crio.io/b"]);
    expect(explanation.containers.map(({ sharedCpus }) => sharedCpus)).toEqual([false, true]);
  });
});

const none = { "workload.openshift.io/allowed": "" };
