type Line = { readonly sign: " " | "-" | "+"; readonly text: string };

const context = 3;
/** For more pairs of lines than this between the first and the last change, all lines between are shown as replaced. */
const worthAligning = 1_000_000;

/** A unified diff of two texts, without file names. Empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  return hunks(align(linesOf(before), linesOf(after)));
}

/** A missing line break at the end does not matter; an empty text has no lines. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function align(left: readonly string[], right: readonly string[]): Line[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  const most = Math.min(left.length, right.length) - head;
  while (tail < most && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  return [
    ...lines(" ", left.slice(0, head)),
    ...alignMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...lines(" ", left.slice(left.length - tail)),
  ];
}

const lines = (sign: Line["sign"], texts: readonly string[]): Line[] => texts.map((text) => ({ sign, text }));

/** Keeps the longest common subsequence; removed lines come before added ones. */
function alignMiddle(left: readonly string[], right: readonly string[]): Line[] {
  if (left.length * right.length > worthAligning) return [...lines("-", left), ...lines("+", right)];
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      common[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const aligned: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      aligned.push({ sign: " ", text: left[i] ?? "" });
      i++;
      j++;
    } else if (i < left.length && (j >= right.length || at(i + 1, j) >= at(i, j + 1)))
      aligned.push({ sign: "-", text: left[i++] ?? "" });
    else aligned.push({ sign: "+", text: right[j++] ?? "" });
  }
  return aligned;
}

function hunks(aligned: readonly Line[]): string {
  let text = "";
  let old = 1;
  let fresh = 1;
  let at = 0;
  while (at < aligned.length) {
    const change = aligned.findIndex(({ sign }, index) => index >= at && sign !== " ");
    if (change < 0) break;
    const start = Math.max(at, change - context);
    old += start - at;
    fresh += start - at;
    let last = change;
    for (let i = change; i < aligned.length && i <= last + 2 * context; i++) if (aligned[i]?.sign !== " ") last = i;
    const hunk = aligned.slice(start, last + 1 + context);
    const olds = hunk.filter(({ sign }) => sign !== "+").length;
    const news = hunk.filter(({ sign }) => sign !== "-").length;
    text += `@@ -${range(old, olds)} +${range(fresh, news)} @@\n${hunk.map((line) => `${line.sign}${line.text}\n`).join("")}`;
    old += olds;
    fresh += news;
    at = start + hunk.length;
  }
  return text;
}

/** An empty range is given by the line before it, as in `diff -u`. */
function range(first: number, count: number): string {
  return `${count === 0 ? first - 1 : first},${count}`;
}
