import { expect, it } from "vitest";
import { askingPod, partitioned, reviewOf } from "../testing/review.ts";
import { admitPod } from "./admit-pod.ts";
import { explainPod } from "./explain-pod.ts";

const limited = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } };
const pod = askingPod([{ name: "a", resources: limited }, { name: "b" }]);

it("tells CPU, shares and limit of each container", () => {
  expect(explainPod(admitPod(reviewOf(pod, "current")).object)).toEqual([
    "runs on the CPUs of workload type management",
    "container a: 1000 millicores, 1024 shares, at most 2000 millicores",
    "container b: no CPU",
  ]);
});

it("tells why instructions were ignored", () => {
  const view = { ...partitioned, namespace: { type: "found", name: "some", annotations: {} } as const };
  const [line] = explainPod(admitPod(reviewOf(pod, "documented", { view })).object);
  expect(line).toContain("runs on ordinary CPUs: partitioning instructions are ignored: the namespace");
});

it("tells of pods that admission did not see, or that ask for nothing", () => {
  expect(explainPod(pod)[1]).toBe("container a: has a CPU request, so admission did not see the pod");
  const { metadata, ...others } = pod;
  expect(explainPod({ ...others, metadata: { ...metadata, annotations: {} } })).toEqual([
    "does not ask for reserved CPUs",
  ]);
});
