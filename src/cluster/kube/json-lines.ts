const newline = 0x0a;

/**
 * Yields one JSON value per line. Lines are cut from bytes and decoded whole, so that a character split between two
 * chunks survives; chunks of a long line are joined once, so that a line of many megabytes takes linear time.
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, onChunk?: () => void): AsyncGenerator {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    onChunk?.();
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) break;
      const line = join(pending, chunk.subarray(start, end));
      pending = [];
      start = end + 1;
      if (line !== "") yield parse(line);
    }
    if (start < chunk.length) pending.push(start === 0 ? chunk : chunk.subarray(start));
  }
  const rest = join(pending, undefined);
  if (rest !== "") yield parse(rest);
}

function join(pending: Buffer[], last: Buffer | undefined): string {
  if (pending.length === 0) return last ? last.toString("utf8").trim() : "";
  return Buffer.concat(last ? [...pending, last] : pending)
    .toString("utf8")
    .trim();
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`read a stream of JSON: cut off or malformed after ${line.length} characters`, { cause });
  }
}
