const shownNames = 3;

/** `worker-1`, `worker-1 and worker-2`, `worker-1, worker-2, worker-3 and 10 more` */
export function namely(names: readonly string[]): string {
  const shown = names.slice(0, shownNames);
  const left = names.length - shown.length;
  if (left > 0) return `${shown.join(", ")} and ${left} more`;
  const last = shown.pop() ?? "nothing";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

/** `worker-1 has`, `worker-1 and worker-2 have` */
export function has(names: readonly string[]): string {
  return `${namely(names)} ${names.length === 1 ? "has" : "have"}`;
}

/** Names grouped by a common value, the largest group first. */
export function alike<T>(
  items: readonly T[],
  name: (item: T) => string,
  common: (item: T) => string,
): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const item of items) {
    const key = common(item);
    const group = groups.get(key);
    if (group) group.push(name(item));
    else groups.set(key, [name(item)]);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

/** `worker-3 has 64, the other 12 have 80`: the smaller groups, then the largest. */
export function contrast([most, ...rest]: readonly [string, readonly string[]][]): string {
  const odd = rest.map(([what, names]) => `${has(names)} ${what}`);
  if (!most) return odd.join(", ");
  const [what, names] = most;
  return [...odd, names.length === 1 ? `${has(names)} ${what}` : `the other ${names.length} have ${what}`].join(", ");
}
