import type { Action } from "./action.ts";

type Run = Action & { type: "run" };

/** One program takes no more words than this: the kernel has a limit. */
const mostWords = 1000;

/** Makes one program of neighbours that may be run as one. */
export function joinRuns(actions: readonly Action[]): Action[] {
  const joined: Action[] = [];
  for (const action of actions) {
    const last = joined.at(-1);
    if (last && areOne(last, action)) joined[joined.length - 1] = { ...last, argv: [...last.argv, ...rest(action)] };
    else joined.push(action);
  }
  return joined;
}

/** Whether these can be one program: each is a run that shares its first words with its neighbours. */
export function mayJoin(a: readonly Action[], b: readonly Action[]): boolean {
  const [first, ...more] = a;
  const [second, ...others] = b;
  if (!first || !second || more.length > 0 || others.length > 0) return false;
  return areOne(first, second);
}

function areOne(a: Action, b: Action): a is Run & { shared: number } {
  if (a.type !== "run" || b.type !== "run" || a.shared === undefined || a.shared !== b.shared) return false;
  const { shared } = a;
  return (
    a.argv.length < mostWords &&
    b.argv.length >= shared &&
    a.argv.slice(0, shared).every((word, index) => word === b.argv[index]) &&
    JSON.stringify([a.env, a.cwd, a.tolerate, a.quiet]) === JSON.stringify([b.env, b.cwd, b.tolerate, b.quiet])
  );
}

function rest(action: Action): readonly string[] {
  return action.type === "run" ? action.argv.slice(action.shared) : [];
}
