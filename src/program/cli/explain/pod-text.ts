import type { Judgement } from "../../../domain/workload-partitioning/pod/explain-pod.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, linesText, reportTable } from "../terminal/text-table.ts";
import { textWidth, wrapText } from "../terminal/wrap.ts";
import type { PodStory } from "./explain-pod.ts";
import { refusalText } from "./refusals.ts";

const indent = "Admission:   ".length;

/** What admission did with a pod, as people read it. */
export function podText(story: PodStory, colours: Colours, columns: number | undefined): string {
  const { bold, green, yellow, red } = colours;
  const width = textWidth(columns, indent);
  const row = (title: string, said: string, paint: (text: string) => string = String): Cell[][] =>
    wrapText(printable(said), width).map((line, at) => [at === 0 ? title : "", { text: line, paint }]);
  const rows = row("Pod:", `${story.namespace}/${story.pod}`, bold);
  if ("rule" in story) {
    const { node, workload, now, changed } = story;
    if (node !== undefined) rows.push(...row("Node:", node));
    rows.push(...row("Admission:", judged(story), story.outcome === "rewritten" ? green : yellow));
    rows.push(...row("Because:", story.because));
    if (story.remedy !== undefined) rows.push(...row("To do:", story.remedy));
    if (workload !== undefined) rows.push(...row("Workload:", workload));
    for (const [at, change] of changed.entries()) rows.push(...row(at === 0 ? "Changed:" : "", change));
    if (now) rows.push(...row("Now:", `created again, it would be ${judged(now)}: ${now.because}`, yellow));
  } else rows.push(...row("Admission:", "refused", red));
  for (const [at, refusal] of story.refusals.entries()) {
    const { refused } = refusal;
    const whose = refused.startsWith(`${story.pod}-`) ? `pods ${refused}…: ` : "";
    rows.push(...row(at === 0 ? "Refused:" : "", whose + refusalText(refusal), red));
  }
  const containers = "rule" in story ? story.containers : [];
  const table = reportTable(
    ["CONTAINER", "CPU", "SHARES", "LIMIT", "SHARED CPUS"],
    containers.map(({ container, cpu, shares = "", limit = "", sharedCpus }) => [
      printable(container),
      printable(cpu),
      shares,
      printable(limit),
      sharedCpus ? "yes" : "",
    ]),
    columns,
  );
  return `${linesText(rows, columns)}\n${containers.length === 0 ? "" : `\n${table}\n`}`;
}

/** The rule only where it says more. */
function judged({ outcome, rule }: Judgement): string {
  const text = outcome === "passed" ? "left as it was" : outcome === "stripped" ? "instructions removed" : outcome;
  return outcome === rule ? text : `${text} (${rule})`;
}
