import { momentText } from "../parts/moment.ts";
import type { NodeData } from "./node-data.ts";
import { needsLook, stateOf } from "./setting-words.ts";

/** One sentence: whether a node has what it should have. Undefined: not known yet. */
export function nodeAnswer(name: string, data: NodeData, now: number): string | undefined {
  const { row, about } = data;
  if (!row) return undefined;
  const [obstacle] = about?.obstacles ?? [];
  const verdict = settingsVerdict(data, now) ?? (obstacle === undefined ? stateVerdict(data) : clause(obstacle));
  return `${name}: ${verdict}`;
}

function settingsVerdict({ settings }: NodeData, now: number): string | undefined {
  const trouble = settings.filter(needsLook);
  const wrong = trouble.filter((setting) => stateOf(setting) !== "set back");
  const shown = wrong.length > 0 ? wrong : trouble;
  if (shown.length === 0) return undefined;
  const of = `${shown.length} of ${settings.filter(({ state }) => state !== "idle").length} settings`;
  const [first] = shown.flatMap(({ since }) => since ?? []).toSorted();
  const since = first === undefined ? "" : ` since ${momentText(first, now)}`;
  if (wrong.length > 0 && wrong.every(({ state }) => state === "failed")) return `${of} failed${since}`;
  if (wrong.length > 0) return `${of} ${shown.length === 1 ? "differs" : "differ"}${since}`;
  return `${of} ${shown.length === 1 ? "was" : "were"} changed by another process and set back${since.replace("since", "at")}`;
}

function stateVerdict({ row, settings }: NodeData): string {
  if (!row) return "";
  const { state, because } = row;
  if (state !== "As wanted") return because === "" ? clause(state) : `${clause(state)}: ${because}`;
  const count = settings.filter((setting) => ["as wanted", "boot"].includes(stateOf(setting))).length;
  return count === 0 ? "as wanted" : `all ${count} settings are as wanted`;
}

/** A sentence after a colon. */
function clause(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}
