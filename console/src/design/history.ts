/** What was, is, and was undone. */
export interface History<Value> {
  readonly past: readonly Value[];
  readonly present: Value;
  readonly future: readonly Value[];
}

const longest = 100;

export function begun<Value>(present: Value): History<Value> {
  return { past: [], present, future: [] };
}

export function changed<Value>({ past, present }: History<Value>, next: Value): History<Value> {
  return { past: [...past.slice(-longest), present], present: next, future: [] };
}

export function undone<Value>(history: History<Value>): History<Value> {
  const { past, present, future } = history;
  const last = past.at(-1);
  return last === undefined ? history : { past: past.slice(0, -1), present: last, future: [present, ...future] };
}

export function redone<Value>(history: History<Value>): History<Value> {
  const { past, present, future } = history;
  const [next, ...rest] = future;
  return next === undefined ? history : { past: [...past, present], present: next, future: rest };
}
