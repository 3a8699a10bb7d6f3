import { describe, expect, it } from "vitest";
import type { Condition } from "../../language/object/condition.ts";
import { nodePoolEvents } from "./node-pool-events.ts";

function condition(type: string, status: Condition["status"], reason = "AsExpected", message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" };
}

const updating = (message: string): Condition => condition("UpdatingConfig", "True", "AsExpected", message);
const updated = condition("UpdatingConfig", "False");
const failed = condition("UpdatingConfig", "False", "InplaceUpgradeFailed", "Node a");
const invalid = (message: string): Condition => condition("ValidTuningConfig", "False", "ValidationFailed", message);
const valid = condition("ValidTuningConfig", "True");

describe("events of a NodePool", () => {
  it.each<[string, Condition | undefined, Condition, string[]]>([
    ["an update starts", updated, updating("0 of 2"), ["Normal ConfigUpdateStarted 0 of 2"]],
    ["its first update starts", undefined, updating("0 of 2"), ["Normal ConfigUpdateStarted 0 of 2"]],
    ["an update goes on", updating("0 of 2"), updating("1 of 2"), []],
    ["an update ends", updating("1 of 2"), updated, ["Normal ConfigUpdateCompleted all nodes have it"]],
    ["an update fails", updating("0 of 2"), failed, ["Warning ConfigUpdateFailed Node a"]],
    ["it stays failed", failed, { ...failed, message: "Node b" }, []],
    ["it goes on after a failure", failed, updating("1 of 2"), []],
    ["it ends after a failure", failed, updated, ["Normal ConfigUpdateCompleted all nodes have it"]],
    ["nothing has been updated yet", undefined, updated, []],
    ["tuning becomes invalid", valid, invalid("x"), ["Warning InvalidTuningConfig x"]],
    ["it is invalid in another way", invalid("x"), invalid("y"), ["Warning InvalidTuningConfig y"]],
    ["it stays invalid", invalid("x"), invalid("x"), []],
    ["it is valid again", invalid("x"), valid, ["Normal ValidTuningConfig valid again"]],
    ["it is valid from the beginning", undefined, valid, []],
    ["others change", undefined, condition("Ready", "False", "x", "y"), []],
  ])("when %s", (_, before, after, wanted) => {
    const metadata = { name: "np", namespace: "clusters", uid: "u" };
    const status = { conditions: before ? [before] : [] };
    const events = nodePoolEvents({ apiVersion: "v1", kind: "NodePool", metadata, status }, [after]);
    expect(events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(wanted);
  });
});
