import type { NodeAnswer } from "../../../domain/node-tuning/api.ts";
import { cpuinfoProbe, unameProbe } from "../../../language/tuned/conditions.ts";
import { type Answers, type Probe, probeKey } from "../../../language/tuned/probe.ts";

const longestAnswer = 1024;
/** Intel's lists of features take up to 3,000 characters. */
const longestProcessor = 4096;
const mostAnswers = 16;

/**
 * What the node answered to a profile, for the Profile's status: its kernel, its processor, whether it is a virtual machine,
 * and its own files of variables. The output of other programs may be secret or differ each time; the rest of the hardware
 * is reported elsewhere.
 */
export function reportedAnswers(answers: Answers): NodeAnswer[] {
  return Array.from(answers, ([probe, answer]): NodeAnswer => {
    if (answer.type !== "text") return { probe };
    return { probe, text: probe === cpuinfo ? processorIn(answer.text) : answer.text };
  })
    .filter(({ probe, text = "" }) => text.length <= (probe === cpuinfo ? longestProcessor : longestAnswer))
    .filter(({ probe }) => isReported(probe))
    .toSorted((a, b) => (a.probe < b.probe ? -1 : 1))
    .slice(0, mostAnswers);
}

const cpuinfo = probeKey(cpuinfoProbe);
const reported: readonly Probe[] = [{ type: "exec", argv: ["virt-what"] }, unameProbe, cpuinfoProbe];
const ownFiles = '["file","/etc/tuned/';

function isReported(probe: string): boolean {
  return reported.some((one) => probe === probeKey(one)) || (probe.startsWith(ownFiles) && !probe.includes("/../"));
}

/** Number a CPU, or change all the time. */
const ofOneCpu = /^(processor|physical id|core id|(initial )?apicid|cpu MHz|bogomips)\s*:/i;

/** The lines of /proc/cpuinfo, which repeats most of them for every CPU. */
function processorIn(text: string): string {
  const lines = text.split("\n").filter((line) => line !== "" && !ofOneCpu.test(line));
  return `${[...new Set(lines)].join("\n")}\n`;
}
