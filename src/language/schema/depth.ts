/**
 * Deeper than any object of use, and far from the end of the stack. Walkers of user data stop here with an error instead
 * of bringing the process down.
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
