import { describe, expect, test } from "vitest";
import { decideDeferral, type Deferral, type DeferralInput } from "./deferral.ts";

const x1 = { profile: "x", fingerprint: "x1" };
const x2 = { profile: "x", fingerprint: "x2" };
const y = { profile: "y", fingerprint: "y1" };
const inForce = { ...x1, bootId: "now" };
const before = { ...x1, bootId: "before" };

type Mode = DeferralInput["mode"];
const modes: Mode[] = [undefined, "update", "always"];

const cases: {
  event: string;
  wanted: DeferralInput["wanted"];
  inForce: DeferralInput["inForce"];
  answers: Deferral["because"][];
}[] = [
  {
    event: "a node that was never tuned completely",
    wanted: y,
    inForce: undefined,
    answers: ["NeverTuned", "NeverTuned", "NeverTuned"],
  },
  {
    event: "another profile",
    wanted: y,
    inForce,
    answers: ["NotDeferred", "OtherProfile", "Always"],
  },
  {
    event: "another text of the same profile",
    wanted: x2,
    inForce,
    answers: ["NotDeferred", "Update", "Always"],
  },
  {
    event: "what is in force: a restart of the agent, or a reverted edit",
    wanted: x1,
    inForce,
    answers: ["NotDeferred", "InForce", "InForce"],
  },
  {
    event: "a node that has restarted, with an edit pending",
    wanted: x2,
    inForce: before,
    answers: ["NotDeferred", "Restarted", "Restarted"],
  },
  {
    event: "a node that has restarted, with nothing pending",
    wanted: x1,
    inForce: before,
    answers: ["NotDeferred", "Restarted", "Restarted"],
  },
];

describe("a change of a Profile", () => {
  test.each(cases.flatMap(({ answers, ...rest }) => modes.map((mode, i) => ({ ...rest, mode, because: answers[i] }))))(
    "with deferred $mode and $event: $because",
    ({ wanted, inForce, mode, because }) => {
      const deferral = decideDeferral({ wanted, inForce, mode, bootId: "now" });
      expect(deferral).toEqual({ type: because === "Always" || because === "Update" ? "defer" : "apply", because });
    },
  );
});
