/** Names that a reader may have meant: those that contain the text, and those that at most two letters set apart. */
export function nearNames(wanted: string, names: Iterable<string>): string[] {
  const all = [...new Set(names)].filter((name) => name !== wanted);
  const found = all.map((name) => ({ name, far: distance(wanted, name, 2) }));
  const near = found.filter(({ name, far }) => far <= 2 || (wanted.length > 2 && name.includes(wanted)));
  return near
    .toSorted((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/** More names do not help a reader. */
const most = 3;

/** `; did you mean a or b?` */
export function didYouMean(wanted: string, names: Iterable<string>): string {
  const near = nearNames(wanted, names);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/** After the name of an object that is not there: those that may be meant, or else what there is. */
export function whatThereIs(wanted: string, names: Iterable<string>): string {
  const all = [...new Set(names)];
  const near = didYouMean(wanted, all);
  if (near !== "" || all.length === 0) return near || "; there are none";
  const shown = all.slice(0, mostListed).join(", ");
  return `; there are: ${shown}${all.length > mostListed ? ` and ${all.length - mostListed} more` : ""}`;
}

const mostListed = 5;

/** How many letters must be added, removed, replaced or swapped with their neighbour; more than `most` counts as `most + 1`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const at = (up: number, left: number): number => rows[i - up]?.[j - left] ?? most;
      let least = Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, at(1, 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, at(2, 2) + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return Math.min(rows[a.length]?.[b.length] ?? 0, most + 1);
}
