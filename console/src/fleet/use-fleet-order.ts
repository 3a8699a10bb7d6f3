import { useMemo, useRef, useState } from "react";
import { naturalRanks, orderOf, type Row, type Sort } from "./fleet-list.ts";

interface Kept {
  readonly rows: ReadonlyMap<string, Row>;
  readonly sort: Sort;
  readonly names: readonly string[];
}

export interface FleetOrder {
  readonly names: readonly string[];
  /** How many rows would stand elsewhere, were the order not held. */
  readonly moved: number;
  readonly hold: (isHeld: boolean) => void;
  readonly resort: () => void;
}

/**
 * The order of rows. While a person points at the table or has the focus in it, rows keep their places: what is under the
 * pointer must not be another row a moment later.
 */
export function useFleetOrder(rows: ReadonlyMap<string, Row>, sort: Sort): FleetOrder {
  const [isHeld, setHeld] = useState(false);
  const [, setSorted] = useState(0);
  const kept = useRef<Kept>(undefined);
  const ranked = useRef<{ readonly key: string; readonly ranks: ReadonlyMap<string, number> }>(undefined);
  const wanted = useMemo(() => {
    const key = [...rows.keys()].join();
    if (ranked.current?.key !== key) ranked.current = { key, ranks: naturalRanks(rows.keys()) };
    return orderOf(rows, ranked.current.ranks, sort);
  }, [rows, sort]);
  const before = kept.current;
  const isSameTable = before?.sort === sort && before.rows.size === rows.size;
  if (!isHeld || !isSameTable || before === undefined) kept.current = { rows, sort, names: wanted };
  const names = kept.current?.names ?? wanted;
  const moved = useMemo(
    () => (names === wanted ? 0 : names.filter((name, at) => name !== wanted[at]).length),
    [names, wanted],
  );
  return {
    names,
    moved,
    hold: setHeld,
    resort: () => {
      kept.current = undefined;
      setSorted((count) => count + 1);
    },
  };
}
