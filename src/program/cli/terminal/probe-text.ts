import type { Probe } from "../../../language/tuned/probe.ts";

/** A question that only a node can answer, in words. */
export function probeText(probe: Probe): string {
  if (probe.type === "exec") return `what \`${probe.argv.join(" ")}\` prints`;
  return probe.type === "file" ? `what ${probe.path} says` : `what is in ${probe.path}`;
}
