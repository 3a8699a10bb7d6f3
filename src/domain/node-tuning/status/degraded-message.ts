/*
 * The message of a Profile's condition Degraded. The agent writes one part per setting, and `explain` finds the part of a
 * setting in it.
 */

interface SettingPlace {
  readonly unit: string;
  /** Empty: the whole unit. */
  readonly option: string;
  /** `file:line`; empty if unknown. */
  readonly from: string;
}

export function formatSetting({ unit, option, from }: SettingPlace, message: string): string {
  const name = option === "" ? `[${unit}]` : option;
  return from === "" ? `${name}: ${message}` : `${from}: ${name}: ${message}`;
}

/** Conditions hold at most 32,768 characters, and thousands of nodes have some. */
const longestText = 16_000;
const longestPart = 1000;
const separator = "; ";

export function joinParts(parts: readonly string[]): string {
  let text = "";
  for (const [index, part] of parts.entries()) {
    const shown = part.length > longestPart ? `${part.slice(0, longestPart)}…` : part;
    if (text.length + shown.length > longestText) return `${text}${separator}and ${parts.length - index} more`;
    text += index === 0 ? shown : `${separator}${shown}`;
  }
  return text;
}

/** Whether `joinParts` left parts out. */
export function isCut(text: string): boolean {
  return /; and \d+ more$/.test(text);
}

/** What the text says about a setting. */
export function messageAbout(place: SettingPlace, text: string): string | undefined {
  const prefix = formatSetting(place, "");
  const start = text.indexOf(prefix);
  return start < 0 ? undefined : text.slice(start + prefix.length).split(separator)[0];
}
