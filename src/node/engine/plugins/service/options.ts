import type { Setting } from "../../../../language/tuned/unit.ts";

/** What a profile asks of one service. */
export interface ServiceWish {
  readonly name: string;
  readonly option: string;
  readonly from: string;
  readonly running?: boolean;
  readonly enabled?: boolean;
  /** A file of settings for the unit, laid over it. */
  readonly overlay?: string;
  /** Words that mean nothing. */
  readonly unknown: readonly string[];
}

/** `start, enable; file:/etc/x.conf`: of two that contradict, the later counts. */
export function parseServiceWish(option: string, { value, from }: Setting): ServiceWish {
  let running: boolean | undefined;
  let enabled: boolean | undefined;
  let overlay: string | undefined;
  const unknown: string[] = [];
  for (const word of value.split(/[,;]/).map((one) => one.trim())) {
    if (word === "start" || word === "stop") running = word === "start";
    else if (word === "enable" || word === "disable") enabled = word === "enable";
    else if (word.startsWith("file:")) overlay = word.slice("file:".length).trim();
    else unknown.push(word);
  }
  return { name: option.slice("service.".length), option, from, running, enabled, overlay, unknown };
}
