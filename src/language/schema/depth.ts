import type { FieldError } from "./field-error.ts";

/**
 * Deeper than any object in practice, and far from the end of the stack. Recursive functions over user data throw at this
 * depth instead of overflowing the stack.
 */
export const depthLimit = 500;

export class TooDeepError extends Error {
  constructor() {
    super(`exceeded max depth of ${depthLimit}`);
    this.name = "TooDeepError";
  }
}

export function checkDepth(depth: number): void {
  if (depth > depthLimit) throw new TooDeepError();
}

/** The state of a recursive check: what it found so far, and how deep it is. */
export interface Walk {
  readonly errors: FieldError[];
  readonly depth: number;
}

export function deeper({ errors, depth }: Walk): Walk {
  return { errors, depth: depth + 1 };
}
