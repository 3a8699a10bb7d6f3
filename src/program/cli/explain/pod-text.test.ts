import { describe, expect, it } from "vitest";
import { explainPod } from "../../../domain/workload-partitioning/pod/explain-pod.ts";
import { admitPod } from "../../../domain/workload-partitioning/pod/admit-pod.ts";
import { releases } from "../../../domain/workload-partitioning/release.ts";
import { askingPod, partitioned, reviewOf } from "../../../domain/workload-partitioning/testing/review.ts";
import { coloursOf } from "../terminal/terminal.ts";
import { podText } from "./pod-text.ts";

const lines = (story: Parameters<typeof podText>[0], columns?: number): string[] =>
  podText(story, coloursOf(false), columns).split("\n");
const refusal = {
  refused: "a",
  rule: "effect-missing",
  message: 'Pod "a" is invalid: metadata.Annotations: Invalid value: "{}": the value has no key effect',
  count: 3,
  last: "2026-01-01T00:00:00Z",
};
const asking = askingPod([{ name: "main", resources: { requests: { cpu: "250m", memory: "1Gi" } } }]);

describe("the text about a pod", () => {
  it("begins with what admission did and why, then says what it changed", () => {
    const story = { ...explainPod(admitPod(reviewOf(asking)).object), refusals: [] };
    expect(lines({ ...story, node: "n1" })).toEqual([
      "Pod:         some/a",
      "Node:        n1",
      "Admission:   rewritten",
      "Because:     it asks for the CPUs of management, and may",
      "Workload:    management",
      "Changed:     container main: CPU 250m became management.workload.openshift.io/cores 250",
      "             added annotation resources.workload.openshift.io/main",
      "",
      "CONTAINER   CPU    SHARES",
      "main        250m   256",
      "",
    ]);
  });

  it("of a pod that was refused is the rule, and how often", () => {
    expect(lines({ namespace: "some", pod: "a", refusals: [refusal] })).toEqual([
      "Pod:         some/a",
      "Admission:   refused",
      'Refused:     3 times, last 2026-01-01T00:00:00Z: effect-missing: Pod "a" is invalid: metadata.Annotations:',
      '             Invalid value: "{}": the value has no key effect',
      "",
    ]);
  });

  it("of a controller names the pods that were refused", () => {
    expect(
      lines({ namespace: "some", pod: "web", refusals: [{ ...refusal, refused: "web-5d4f-", count: 1 }] }),
    ).toEqual([
      "Pod:         some/web",
      "Admission:   refused",
      'Refused:     pods web-5d4f-…: once, last 2026-01-01T00:00:00Z: effect-missing: Pod "a" is invalid:',
      '             metadata.Annotations: Invalid value: "{}": the value has no key effect',
      "",
    ]);
  });

  it("says what to do about instructions that were ignored", () => {
    const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: {} } as const };
    const story = { ...explainPod(admitPod(reviewOf(asking, "documented", { view })).object), refusals: [] };
    expect(lines(story)).toContain(
      "To do:       kubectl annotate namespace some workload.openshift.io/allowed=management, then create the pod",
    );
  });

  it("fits 80 columns", () => {
    const view = { ...partitioned, namespace: { type: "failed", name: "some", reason: "no answer" } as const };
    const known = { view, release: releases.documented };
    const story = { ...explainPod(asking, known), refusals: [refusal, refusal] };
    expect(story.now?.outcome).toBe("refused");
    expect(lines(story, 80).filter(({ length }) => length > 80)).toEqual([]);
  });
});
