import { expect, test } from "vitest";
import { annotations, updateOf } from "../../../domain/rollout/node-annotations.ts";
import { settlement } from "./update-phase.ts";

test.each([
  ["drain-new", "drain-new", "uncordon"],
  ["uncordon-new", "drain-new", "wait"],
  ["uncordon-new", "uncordon-new", "done"],
  ["uncordon-old", "uncordon-old", "done"],
  ["", "", "done"],
  ["drain-other", "uncordon-new", "uncordon"],
  ["uncordon-other", "uncordon-new", "uncordon"],
])("a node with its config that asks for %j, after %j was answered: %s", (desiredDrain, lastAppliedDrain, expected) => {
  const update = updateOf({
    annotations: {
      [annotations.desiredConfig]: "new",
      [annotations.desiredDrain]: desiredDrain,
      [annotations.lastAppliedDrain]: lastAppliedDrain,
    },
  });
  expect(settlement(update)).toBe(expected);
});
