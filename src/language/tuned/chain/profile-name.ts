/** Names that may be asked for: none of them leads anywhere but to a profile. */
export function isSafeName(name: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(name);
}
