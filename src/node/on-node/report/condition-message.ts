/** What a part of a condition's message is about. No program reads messages: `status.settings` has the same as fields. */
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
