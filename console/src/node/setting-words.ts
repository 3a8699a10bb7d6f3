import type { SettingExplanation } from "../../../src/domain/node-tuning/explain/settings.ts";
import type { NodeData } from "./node-data.ts";

export type SettingState = SettingExplanation["state"] | "set back";

export const stateWords = {
  different: "differs",
  failed: "failed",
  "set back": "was changed, set back",
  unknown: "not reported",
  unresolved: "depends on the node",
  "as wanted": "as wanted",
  boot: "at boot",
  skipped: "not on this node",
  idle: "idle",
} as const satisfies Record<SettingState, string>;

/** The state of a setting; one that another process changed and the agent set back has a state of its own. */
export function stateOf({ state, since }: SettingExplanation): SettingState {
  return state === "as wanted" && since !== undefined ? "set back" : state;
}

/** Whether a person should look at it. */
export function needsLook(setting: SettingExplanation): boolean {
  return ["different", "failed", "set back"].includes(stateOf(setting));
}

/** A line of a profile's text, as `from` names it: `quiet-memory/tuned.conf:4`. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export function placeOf(from: string): Place | undefined {
  const [, file, line] = /^([^]*):(\d+)$/.exec(from) ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}

/** `Tuned quiet-memory, line 4`: by the object that a user can edit; `openshift-node, line 12` where every node has the profile. */
export function sourceText(from: string, chain: NodeData["chain"]): string {
  const place = placeOf(from);
  if (!place) return from;
  const { profile, tuneds = [] } = chain.find(({ file }) => file === place.file) ?? {};
  if (profile === undefined) return from;
  const [tuned] = tuneds;
  const name = tuned === undefined ? profile : tuned === profile ? `Tuned ${tuned}` : `Tuned ${tuned}, ${profile}`;
  return `${name}, line ${place.line}`;
}

/** What the winning line replaced, the last one first. A value that is replaced by itself says nothing. */
export function replacedText({ wanted, overrides }: SettingExplanation, chain: NodeData["chain"]): string[] {
  return overrides
    .filter(({ value }) => value !== wanted)
    .toReversed()
    .map(({ value, from }) => {
      const text = value.includes("${") ? "a value that depends on the node" : value;
      return `replaced ${text} (${sourceText(from, chain)})`;
    });
}
