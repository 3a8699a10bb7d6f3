import { describe, expect, it } from "vitest";
import { terminationMessage } from "./termination-message.ts";

const quoting = { name: "a", terminationMessagePolicy: "FallbackToLogsOnError" };
const lines = (...texts: string[]): { at: number; text: string }[] => texts.map((text) => ({ at: 0, text }));

describe("the message of a container that has ended", () => {
  it.each([
    ["the log", quoting, 1, lines("one", "two"), "one\ntwo\n"],
    ["nothing after success", quoting, 0, lines("one"), ""],
    ["nothing where it is not asked for", { name: "a" }, 1, lines("one"), ""],
    ["nothing of an empty log", quoting, 1, [], ""],
    ["the last 80 lines", quoting, 1, lines(...Array.from({ length: 100 }, () => "x")), "x\n".repeat(80)],
    ["the last 2,048 bytes", quoting, 1, lines("ab".repeat(2000)), `b${"ab".repeat(1023)}\n`],
  ])("is %s", (_, container, exitCode, log, message) => {
    expect(terminationMessage(container, exitCode, log)).toBe(message);
  });
});
