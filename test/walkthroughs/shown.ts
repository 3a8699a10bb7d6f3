/**
 * Whether a terminal printed what the page shows. `…` in a line stands for any text, and alone for any lines; the width of
 * columns does not count. `whole`: the page shows all of the output, not its beginning.
 */
export function isShown(shows: readonly string[], output: string, whole = true): boolean {
  const pattern = shows.map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${linePattern(line)} *\\n`)).join("");
  return new RegExp(`^${pattern}${whole ? "\\n*$" : ""}`).test(output.endsWith("\n") ? output : `${output}\n`);
}

function linePattern(line: string): string {
  return line
    .trimEnd()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/ +/g, " +")
    .replaceAll("…", ".*");
}
