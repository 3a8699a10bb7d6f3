/** What differs between two values, as the one hunk of a unified diff of their JSON with three lines around it. */
export function lineDiff(before: unknown, after: unknown): string {
  const left = JSON.stringify(before, undefined, 1).split("\n");
  const right = JSON.stringify(after, undefined, 1).split("\n");
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail++;
  const start = Math.max(0, head - 3);
  const shown = (lines: readonly string[]): number => Math.min(lines.length, lines.length - tail + 3) - start;
  return [
    `@@ -${start + 1},${shown(left)} +${start + 1},${shown(right)} @@`,
    ...left.slice(start, head).map((line) => ` ${line}`),
    ...left.slice(head, left.length - tail).map((line) => `-${line}`),
    ...right.slice(head, right.length - tail).map((line) => `+${line}`),
    ...left.slice(left.length - tail, left.length - tail + 3).map((line) => ` ${line}`),
    "",
  ].join("\n");
}
