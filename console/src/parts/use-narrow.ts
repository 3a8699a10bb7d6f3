import { useSyncExternalStore } from "react";

/** PatternFly's breakpoint `md`: below it, a row of a table takes two lines. */
const narrow = matchMedia("(max-width: 767px)");

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
