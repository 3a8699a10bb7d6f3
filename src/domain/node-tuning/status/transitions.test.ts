import { expect, it } from "vitest";
import type { Condition } from "../../../language/object/condition.ts";
import { transitions } from "./transitions.ts";

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
    ["Normal ProfileDegraded x"],
  ],
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
