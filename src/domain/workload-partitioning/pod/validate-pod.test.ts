import { describe, expect, it } from "vitest";
import { askingPod, reviewOf } from "../testing/review.ts";
import { admitPod } from "./admit-pod.ts";
import { containersOf } from "./pod.ts";
import { validatePod } from "./validate-pod.ts";

const small = { requests: { cpu: "250m", memory: "1Gi" } };
const moved = admitPod(reviewOf(askingPod([{ name: "c", resources: small }]))).object;
const resize = { operation: "UPDATE", subresource: "resize" };

describe("a resize of a pod on reserved CPUs (partitioning P-3)", () => {
  const resized = (requests: object) => ({ ...moved, spec: { containers: [{ name: "c", resources: { requests } }] } });
  const cores = { "management.workload.openshift.io/cores": "250" };

  it("may change memory", () => {
    expect(validatePod(reviewOf(resized({ ...cores, memory: "2Gi" }), "documented", resize)).rule).toBe("valid");
  });

  it("may not add CPU, which the kubelet would apply over what CRI-O was told", () => {
    const { problems } = validatePod(reviewOf(resized({ ...cores, cpu: "2" }), "documented", resize));
    expect(problems.map(({ code, status }) => [code, status])).toEqual([["resize-adds-cpu", 422]]);
    expect(validatePod(reviewOf(resized({ ...cores, cpu: "2" }), "current", resize)).type).toBe("unchanged");
  });

  it("may not add CPU to another of its containers either", () => {
    const beside = {
      ...moved,
      spec: { containers: [...containersOf(moved), { name: "d", resources: { requests: { cpu: "2" } } }] },
    };
    expect(validatePod(reviewOf(beside, "documented", resize)).problems).toMatchObject([
      { code: "resize-adds-cpu", field: "spec.containers[d].resources" },
    ]);
  });

  it("may if the pod was never rewritten", () => {
    expect(validatePod(reviewOf(resized({ cpu: "2" }), "documented", resize)).rule).toBe("valid");
  });
});

it("tells a user who debugs a pod of the platform why the copy is refused", () => {
  const copy = { ...moved, metadata: { name: "debug", annotations: { "debug.openshift.io/source-resource": "pods" } } };
  const { type, warnings, rule } = validatePod(reviewOf(copy));
  expect([type, rule, warnings.length]).toEqual(["refused", "workload-resource-without-target", 1]);
});

it("accepts what the mutating phase has written", () => {
  expect(validatePod(reviewOf(moved)).rule).toBe("valid");
});
