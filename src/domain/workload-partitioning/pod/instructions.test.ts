import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import { askingPod, reviewOf } from "../testing/review.ts";
import { keepInstructions } from "./instructions.ts";

const target = "target.workload.openshift.io/management";
const told = "resources.workload.openshift.io/c";
const given = { [target]: '{"effect":"PreferredDuringScheduling"}', [told]: '{"cpushares":256}' };
const podWith = (annotations: Record<string, string>) =>
  deepFreeze({ ...askingPod([{ name: "c" }]), metadata: { name: "a", annotations } });

describe("an update of a pod", () => {
  it.each<[string, Record<string, string>, Record<string, string>, Record<string, string>]>([
    ["gives an ordinary pod none", {}, { [target]: "{}", [told]: '{"cpuset":"0"}', a: "b" }, { a: "b" }],
    ["cannot choose CPUs", given, { ...given, [told]: '{"cpuset":"0"}' }, given],
    ["cannot add those of another container", given, { ...given, [`${told}2`]: '{"cpuset":"0"}' }, given],
    ["cannot ask for shared CPUs", given, { ...given, "cpu-shared.crio.io/c": "enable" }, given],
    ["takes none away", given, { a: "b" }, { ...given, a: "b" }],
  ])("%s", (_, before, after, stored) => {
    const update = { operation: "UPDATE", before: podWith(before) };
    const answer = keepInstructions(reviewOf(podWith(after), "documented", update));
    expect(answer).toMatchObject({ type: "changed", rule: "instructions-kept", outcome: "stripped" });
    expect(answer.object.metadata.annotations).toEqual(stored);
    expect(answer.warnings).toEqual([expect.stringContaining("create the pod anew")]);
    expect(keepInstructions(reviewOf(answer.object, "documented", update)).type).toBe("unchanged");
    expect(keepInstructions(reviewOf(podWith(after), "current", update)).type).toBe("unchanged");
  });

  it("may change everything else", () => {
    const update = { operation: "UPDATE", before: podWith(given) };
    expect(keepInstructions(reviewOf(podWith({ ...given, a: "b" }), "documented", update)).type).toBe("unchanged");
  });
});
