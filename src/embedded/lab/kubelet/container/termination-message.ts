import type { Container } from "kubernetes-types/core/v1.js";
import type { LogLine } from "./container-log.ts";

/** A kubelet's limits of a message that it takes from a log. */
const mostLines = 80;
const mostBytes = 2048;

/** The end of the log, where a container asks for it and has failed. Programs here write no `/dev/termination-log`. */
export function terminationMessage(
  { terminationMessagePolicy }: Container,
  exitCode: number,
  lines: readonly LogLine[],
): string {
  if (terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return "";
  const text = lines
    .slice(-mostLines)
    .map((line) => `${line.text}\n`)
    .join("");
  return Buffer.from(text).subarray(-mostBytes).toString();
}
