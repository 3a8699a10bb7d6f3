import { expect, it } from "vitest";
import type { Condition } from "../../../language/object/condition.ts";
import type { Profile } from "../api.ts";
import { driftEvents, transitions } from "./transitions.ts";

const of = { apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name: "t", namespace: "n" } };

function condition(text: string): Condition {
  const [type = "", status = "", reason = "", message = ""] = text.split(" ");
  return { type, status: status as Condition["status"], reason, message };
}

const cases: [string, string, string | undefined, string[]][] = [
  ["a good beginning is no news", "Valid True AsExpected", undefined, []],
  ["a bad beginning is", "Valid False InvalidConfiguration why", undefined, ["Warning InvalidConfiguration why"]],
  ["what stays is no news", "Valid False InvalidConfiguration b", "Valid False InvalidConfiguration a", []],
  [
    "a recovery is normal",
    "Valid True AsExpected",
    "Valid False InvalidConfiguration",
    ["Normal ValidTrue Valid is True."],
  ],
  [
    "a loss is a warning",
    "Available False TunedUnavailable x",
    "Available True AsExpected",
    ["Warning TunedUnavailable x"],
  ],
  [
    "another reason is news",
    "Available True ProfileDegraded x",
    "Available True AsExpected",
    ["Warning ProfileDegraded x"],
  ],
  [
    "nodes that are not done are normal",
    "Available False ProfileProgressing x",
    "Available True AsExpected",
    ["Normal ProfileProgressing x"],
  ],
  ["an operator that starts is not available, which is no news", "Available False TunedUnavailable x", undefined, []],
  ["degraded is a warning", "Degraded True ProfileConflict x", undefined, ["Warning ProfileConflict x"]],
  ["progress is none", "Progressing True Reconciling x", "Progressing False AsExpected", ["Normal Reconciling x"]],
  ["waiting for nodes is no news at first", "BootArguments False WaitingForNodes x", undefined, []],
  [
    "arguments without effect are a warning",
    "BootArguments False WonThroughMatch x",
    undefined,
    ["Warning WonThroughMatch x"],
  ],
  [
    "a conflict is a warning",
    "BootArguments False ProfileConflict x",
    "BootArguments True Agreed",
    ["Warning ProfileConflict x"],
  ],
];
it.each(cases)("%s", (_, after, before, events) => {
  const planned = transitions(of, before === undefined ? undefined : [condition(before)], [condition(after)]);
  expect(planned.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(events);
});

const profile = (...conditions: string[]): Profile => ({
  apiVersion: "tuned.openshift.io/v1",
  kind: "Profile",
  metadata: { name: "n1", namespace: "n", uid: "u" },
  spec: { config: { tunedProfile: "p" } },
  status: { tunedProfile: "p", conditions: conditions.map(condition) },
});

it.each([
  ["the first drift", [], ["Drifted True Repaired a"], ["Warning DriftRepaired a"]],
  ["a drift after none", ["Drifted False AsExpected"], ["Drifted True Repaired a"], ["Warning DriftRepaired a"]],
  ["another drift", ["Drifted True Repaired a"], ["Drifted True RepairFailed b"], ["Warning DriftRepairFailed b"]],
  ["the same drift", ["Drifted True Repaired a"], ["Drifted True Repaired a"], []],
  ["no drift any more", ["Drifted True Repaired a"], ["Drifted False AsExpected"], []],
  ["no drift at all", [], [], []],
])("the events of %s", (_, before, after, events) => {
  const planned = driftEvents(profile(...before), profile(...after));
  expect(planned.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(events);
});
