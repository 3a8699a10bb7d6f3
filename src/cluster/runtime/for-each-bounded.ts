/** Calls `act` for every item, at most `limit` at a time, and resolves when all calls have ended. `act` must not reject. */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await act(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
