import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";

/** Manifests are small. A server that sends more, or that takes longer, is another one than was meant. */
const mostBytes = 8 * 1_048_576;
const timeoutMs = 30_000;

/** The text at an address that the user has named. */
export async function readUrl(address: string, limits = { mostBytes, timeoutMs }): Promise<string> {
  const stop = new LinkedAbort(new AbortController().signal);
  const timer = setTimeout(() => stop.abort(), limits.timeoutMs);
  const { signal } = stop;
  try {
    const response = await fetch(address, { signal });
    if (!response.ok) throw new Error(`the server responded ${response.status} ${response.statusText}`.trim());
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > limits.mostBytes) throw new Error(`it has more than ${limits.mostBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (error) {
    throw new Error(`read ${address}: ${reasonOf(error, signal, limits.timeoutMs)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch failed` says nothing: the cause does. */
function reasonOf(error: unknown, signal: AbortSignal, after: number): string {
  if (signal.aborted) return `no response within ${after / 1000} s`;
  return error instanceof Error && error.cause instanceof Error ? errorText(error.cause) : errorText(error);
}
