/** The texts of a drop-in file of systemd that one program puts in the place of the other. */
export interface Overlay {
  /** `null`: no file. */
  readonly text: string | null;
  readonly instead: string | null;
}

/**
 * A file once `text` has taken the place of `instead` in it. Lines that neither has are another program's: they stay, with
 * the header of their section. `undefined`: there is no file.
 */
export function overlaid(present: string | undefined, { text, instead }: Overlay): string | undefined {
  if (present === undefined) return text ?? undefined;
  const others = without(without(present, instead ?? ""), text ?? "");
  if (others === "") return text ?? undefined;
  const isInPlace = countMissing(text ?? "", present) === 0 && without(present, text ?? "") === others;
  return isInPlace && text !== null ? present : (text ?? "") + others;
}

/** The text without the other's settings, and without sections that have none left. */
function without(text: string, other: string): string {
  const owned = new Set(settingsOf(other));
  const lines = text.split("\n").filter((line) => !owned.has(line.trim()));
  const kept = lines.filter((line, index) => {
    if (line.trim() === "") return false;
    if (!isHeader(line)) return true;
    const next = lines.slice(index + 1).find((one) => one.trim() !== "");
    return next !== undefined && !isHeader(next);
  });
  return kept.map((line) => `${line}\n`).join("");
}

function countMissing(text: string, present: string): number {
  const there = new Set(settingsOf(present));
  return settingsOf(text).filter((line) => !there.has(line)).length;
}

function settingsOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !isHeader(line));
}

function isHeader(line: string): boolean {
  return line.trimStart().startsWith("[");
}
