/** The results in the order of the items. Works on `maxConcurrent` items, then on the next ones. */
export async function mapBounded<T, R>(
  items: readonly T[],
  maxConcurrent: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += maxConcurrent)
    results.push(...(await Promise.all(items.slice(at, at + maxConcurrent).map(work))));
  return results;
}
