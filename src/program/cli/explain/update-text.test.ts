import { expect, test } from "vitest";
import { annotations, updateOf } from "../../../domain/rollout/node-annotations.ts";
import { updateText } from "./update-text.ts";

const { currentConfig, desiredConfig, state, reason, desiredDrain, lastAppliedDrain, postConfigAction } = annotations;

test.each([
  [{}, []],
  [{ [currentConfig]: "r-1", [desiredConfig]: "r-1", [state]: "Done" }, ["r-1"]],
  [{ [desiredConfig]: "r-1" }, ["none, changes to r-1", "waits for its agent to begin"]],
  [
    { [currentConfig]: "r-1", [desiredConfig]: "r-2", [state]: "Working", [desiredDrain]: "drain-r-2" },
    ["r-1, changes to r-2", "waits until the operator has drained it"],
  ],
  [
    {
      [currentConfig]: "r-1",
      [desiredConfig]: "r-2",
      [state]: "Working",
      [desiredDrain]: "drain-r-2",
      [lastAppliedDrain]: "drain-r-2",
      [postConfigAction]: "Rebooting",
    },
    ["r-1, changes to r-2", "restarts now"],
  ],
  [
    { [currentConfig]: "r-1", [desiredConfig]: "r-2", [state]: "Working" },
    ["r-1, changes to r-2", "its agent applies it"],
  ],
  [
    { [currentConfig]: "r-1", [desiredConfig]: "r-2", [state]: "Done" },
    ["r-1, changes to r-2", "waits for its agent to begin"],
  ],
  [
    {
      [currentConfig]: "r-2",
      [desiredConfig]: "r-2",
      [state]: "Done",
      [desiredDrain]: "uncordon-r-2",
      [lastAppliedDrain]: "drain-r-2",
    },
    ["r-2", "waits until the operator has uncordoned it"],
  ],
  [
    { [currentConfig]: "r-1", [desiredConfig]: "r-2", [state]: "Degraded", [reason]: "/etc/a: disk full" },
    ["r-1, should change to r-2 (Degraded)", "/etc/a: disk full"],
  ],
  [
    { [currentConfig]: "r-1", [desiredConfig]: "r-1", [state]: "Degraded", [reason]: "drift of /etc/a" },
    ["r-1 (Degraded)", "drift of /etc/a"],
  ],
])("the update of %j is explained", (written, texts) => {
  expect(updateText(updateOf({ annotations: written })).map(({ text }) => text)).toEqual(texts);
});
