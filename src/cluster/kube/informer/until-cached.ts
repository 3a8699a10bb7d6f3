/** An informer, or what is made of some. */
export interface Followed {
  whenSynced(signal: AbortSignal): Promise<void>;
  subscribe(handler: () => void): () => void;
}

/** Resolves when all informers have synced and `condition` holds, or the signal aborts. Each event checks it again. */
export async function untilCached(
  informers: readonly Followed[],
  condition: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  try {
    await Promise.all(informers.map((one) => one.whenSynced(signal)));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  if (condition()) return;
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (!signal.aborted && !condition()) return;
      for (const unsubscribe of unsubscribes.splice(0)) unsubscribe();
      signal.removeEventListener("abort", check);
      resolve();
    };
    const unsubscribes: (() => void)[] = [];
    for (const one of informers) unsubscribes.push(one.subscribe(check));
    signal.addEventListener("abort", check);
  });
}
