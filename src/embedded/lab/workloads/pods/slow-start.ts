/**
 * Calls `attempt` `count` times in batches of 1, 2, 4, …, one batch after the other, and stops after a batch with an
 * error: the API server would likely reject the rest too. `attempted` may be less than `count`.
 */
export async function slowStart(
  count: number,
  attempt: (index: number) => Promise<void>,
): Promise<{ attempted: number; errors: unknown[] }> {
  const errors: unknown[] = [];
  let attempted = 0;
  for (let batch = 1; attempted < count && errors.length === 0; batch *= 2) {
    const size = Math.min(batch, count - attempted);
    const outcomes = await Promise.allSettled(Array.from({ length: size }, (_, i) => attempt(attempted + i)));
    attempted += size;
    for (const outcome of outcomes) if (outcome.status === "rejected") errors.push(outcome.reason);
  }
  return { attempted, errors };
}
