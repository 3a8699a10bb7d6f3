import type { NodeAnswer } from "../../domain/node-tuning/api.ts";
import { unameProbe } from "../../language/tuned/conditions.ts";
import { type Answers, type Probe, probeKey } from "../../language/tuned/probe.ts";

const longestAnswer = 1024;
const mostAnswers = 16;

/**
 * What the node answered to a profile, for the Profile's status: its kernel, whether it is a virtual machine, and its own
 * files of variables. The output of other programs may be secret or differ each time; the hardware is reported elsewhere.
 */
export function reportedAnswers(answers: Answers): NodeAnswer[] {
  return Array.from(answers, ([probe, answer]): NodeAnswer =>
    answer.type === "text" ? { probe, text: answer.text } : { probe },
  )
    .filter(({ probe, text = "" }) => isReported(probe) && text.length <= longestAnswer)
    .toSorted((a, b) => (a.probe < b.probe ? -1 : 1))
    .slice(0, mostAnswers);
}

const programs: readonly Probe[] = [{ type: "exec", argv: ["virt-what"] }, unameProbe];
const ownFiles = '["file","/etc/tuned/';

function isReported(probe: string): boolean {
  return programs.some((one) => probe === probeKey(one)) || (probe.startsWith(ownFiles) && !probe.includes("/../"));
}
