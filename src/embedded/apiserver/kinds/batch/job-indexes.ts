/** The number of indexes in `0,2-4`, or what is wrong with the text. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let last = -1;
  for (const interval of text.split(",")) {
    const bounds = interval.split("-");
    if (bounds.length > 2) return `invalid format of range: ${JSON.stringify(interval)}`;
    const numbers: number[] = [];
    for (const bound of bounds) {
      if (!/^[0-9]+$/.test(bound)) return `cannot convert string to integer for index: ${JSON.stringify(bound)}`;
      if (Number(bound) >= completions) return `too large index: ${JSON.stringify(bound)}`;
      numbers.push(Number(bound));
    }
    const [first = 0, end = first] = numbers;
    if (first <= last) return `non-increasing order, previous: ${last}, current: ${first}`;
    if (end < first || (numbers.length === 2 && end === first))
      return `non-increasing order, previous: ${first}, current: ${end}`;
    total += end - first + 1;
    last = end;
  }
  return total;
}

/** The first index that two texts have in common. Invalid parts are ignored: they are reported separately. */
export function commonIndex(one: string, other: string): number | undefined {
  const intervals = intervalsIn(other);
  for (const [first, last] of intervalsIn(one))
    for (const [from, to] of intervals) if (first <= to && from <= last) return Math.max(first, from);
  return undefined;
}

function intervalsIn(text: string): [first: number, last: number][] {
  return text.split(",").flatMap((interval): [number, number][] => {
    const found = /^(\d+)(?:-(\d+))?$/.exec(interval);
    return found ? [[Number(found[1]), Number(found[2] ?? found[1])]] : [];
  });
}
