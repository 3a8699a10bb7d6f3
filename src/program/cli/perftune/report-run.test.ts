import { expect, it } from "vitest";
import type { PerftuneResult } from "../../../node/perftune/run-perftune.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { reportRun } from "./report-run.ts";

const write = (path: string): Extract<PerftuneResult, { type: "set" | "same" | "refused" | "failed" }>["action"] => ({
  type: "write",
  path,
  value: "1",
  refusal: "warned",
});
const results: PerftuneResult[] = [
  { type: "note", text: "Setting eth0\u001b[2J" },
  { type: "set", action: write("/a") },
  { type: "same", action: write("/b") },
  { type: "refused", action: write("/proc/irq/60/smp_affinity"), message: "the kernel manages its CPUs" },
  { type: "failed", action: write("/c"), message: "EIO" },
];

function report(all: readonly PerftuneResult[], isVerbose = false): { code: number; stdout: string; stderr: string } {
  const terminal = new RecordingTerminal();
  const code = reportRun({ type: "tuned", results: all }, isVerbose, terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

it("prints what changed and warns of what failed, which does not fail the run (scylla W-3)", () => {
  expect(report(results)).toEqual({
    code: 0,
    stdout: String.raw`Setting eth0\u{1b}[2J
  /a = 1
1 setting changed, 1 were so already, 1 kept by the kernel where they are, 1 failed
`,
    stderr: "warning: /c = 1: EIO\n",
  });
});

it("prints with --verbose also what was so already, and what the kernel refused", () => {
  const { stdout } = report(results, true);
  expect(stdout).toContain("  /b = 1 (as it was)\n");
  expect(stdout).toContain("  /proc/irq/60/smp_affinity = 1 (refused: the kernel manages its CPUs)\n");
});

it.each<[string, PerftuneResult]>([
  [
    "its config cannot be written",
    {
      type: "failed",
      message: "EROFS",
      action: {
        type: "ban-irqs",
        path: "/etc/default/irqbalance",
        text: "",
        key: "",
        line: "",
        backup: "",
        hasBackup: true,
        irqs: [7],
      },
    },
  ],
  ["it does not start again", { type: "failed", message: "exit code 1", action: { type: "run", argv: [] } }],
])("fails where irqbalance would undo the run: %s", (_, failed) => {
  expect(report([...results, failed]).code).toBe(1);
});
