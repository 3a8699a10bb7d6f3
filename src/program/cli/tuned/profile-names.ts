import { isSafeName } from "../../../language/tuned/chain/include.ts";

/** Names as they come from the command line, several in one word allowed as TuneD allows them. */
export function profileNames(words: readonly string[]): string[] {
  const names = words.flatMap((word) => word.split(/\s+/)).filter((name) => name !== "");
  if (names.length === 0) throw new Error("no profile is named");
  for (const name of names)
    if (!isSafeName(name) || name === "." || name === "..")
      throw new Error(
        `${JSON.stringify(name.slice(0, 80))} is not a name of a profile: letters, digits, "_", "-" and "." may be in one`,
      );
  return names;
}
