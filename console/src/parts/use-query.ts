import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Filters, tabs and selections live in the query of the address: a link shows what its sender saw. */
export function useQuery(): {
  readonly query: URLSearchParams;
  /** Empty values are left out. The history keeps no entry for each. */
  readonly setQuery: (values: Readonly<Record<string, string>>) => void;
} {
  const [query, setParams] = useSearchParams();
  const setQuery = useCallback(
    (values: Readonly<Record<string, string>>): void =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values))
            if (value === "") after.delete(name);
            else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    [setParams],
  );
  return { query, setQuery };
}
