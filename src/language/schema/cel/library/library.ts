import { amounts } from "./amounts.ts";
import { conversions } from "./conversions.ts";
import { formats } from "./formats.ts";
import { lists } from "./lists.ts";
import { operators } from "./operators.ts";
import { type Library, type Overload, paidBySize } from "./overload.ts";
import { texts } from "./texts.ts";
import { urls } from "./urls.ts";
import { versions } from "./versions.ts";

/** Every function that an expression can call. */
export const standardLibrary: Library = merged([
  operators(),
  paidBySize(conversions()),
  texts(),
  lists(),
  paidBySize(amounts()),
  urls(),
  versions(),
  formats(),
]);

export function merged(libraries: readonly Library[]): Library {
  const all = new Map<string, Overload[]>();
  for (const library of libraries)
    for (const [name, overloads] of library) all.set(name, [...(all.get(name) ?? []), ...overloads]);
  return all;
}
