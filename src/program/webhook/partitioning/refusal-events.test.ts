import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import type { AdmissionRequest, Decision } from "../handler.ts";
import { RefusalEvents } from "./refusal-events.ts";

const denied: Decision = { type: "deny", message: "no", verdict: { rule: "effect-missing", outcome: "refused" } };

function request(name: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: "1",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    name,
    namespace: "shop",
    operation: "CREATE",
    userInfo: {},
    object: { apiVersion: "v1", kind: "Pod", metadata: { name, uid: "of-the-client" } },
    oldObject: null,
    ...more,
  };
}

function recording() {
  const clock = new VirtualClock();
  const recorded: PlannedEvent[] = [];
  const events = new RefusalEvents({ clock, record: (event) => recorded.push(event) });
  const about = (): (string | undefined)[] => recorded.map(({ regarding }) => regarding.metadata.name);
  return { clock, recorded, about, answered: events.answered };
}

describe("events of refused writes", () => {
  it("name the object, the rule and what the client was told", () => {
    const { recorded, answered } = recording();
    answered(request("web"), denied);
    expect(recorded).toEqual([
      {
        regarding: { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop" } },
        type: "Warning",
        reason: "AdmissionRefused",
        message: "effect-missing: no",
      },
    ]);
  });

  it("of a controller's pod name the beginning of its name", () => {
    const { about, answered } = recording();
    const object = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-5d4f-" } };
    answered(request("", { object }), denied);
    expect(about()).toEqual(["web-5d4f-"]);
  });

  it("of a pod that exists have its uid", () => {
    const { recorded, answered } = recording();
    answered(request("web", { operation: "UPDATE" }), denied);
    expect(recorded[0]?.regarding.metadata.uid).toBe("of-the-client");
  });

  it.each<[string, AdmissionRequest, Decision]>([
    ["admitted writes", request("web"), { type: "allow" }],
    ["dry runs", request("web", { dryRun: true }), denied],
    [
      "pods of a namespace that does not exist",
      request("web"),
      { ...denied, verdict: { rule: "namespace-not-found", outcome: "refused" } },
    ],
  ])("are none for %s", (_, asked, decision) => {
    const { recorded, answered } = recording();
    answered(asked, decision);
    expect(recorded).toEqual([]);
  });

  it("are few however many pods are refused: one stands for all beyond ten of a namespace and rule", () => {
    const { recorded, about, answered } = recording();
    for (let n = 0; n < 100_000; n++) answered(request(`pod-${n}`), denied);
    expect(new Set(about()).size).toBe(11);
    expect(new Set(recorded.map(({ regarding, message }) => JSON.stringify([regarding, message]))).size).toBe(11);
    expect(recorded.at(-1)?.message).toBe("effect-missing: one of many refused here for the same reason: no");
    answered(request("pod-100000", { namespace: "other" }), denied);
    expect(about().at(-1)).toBe("pod-100000");
  });

  it("name pods again after ten minutes without a refusal", async () => {
    const { clock, about, answered } = recording();
    for (let n = 0; n < 12; n++) answered(request(`pod-${n}`), denied);
    await clock.advance(10 * 60_000 + 1);
    answered(request("pod-12"), denied);
    expect(about().slice(-2)).toEqual(["pod-10", "pod-12"]);
  });
});
