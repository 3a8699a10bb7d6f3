import type { Duplex } from "node:stream";
import { at } from "../../../language/object/json.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { ApiError, isApiError } from "../api-error.ts";
import type { RequestOptions } from "../client.ts";
import type { HttpClient } from "../http-client.ts";
import { LinkedAbort } from "../linked-abort.ts";
import { handshake, messagesOf } from "./web-socket.ts";

export interface PodProgram {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

export interface RunInPodOptions extends Pick<RequestOptions, "signal"> {
  /** Default one minute. */
  readonly timeoutMs?: number | undefined;
  /** Of both outputs together. Default 16 MiB. */
  readonly mostBytes?: number | undefined;
  readonly clock?: Clock | undefined;
}

export type ProgramEnd =
  | { readonly type: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** The program did not run: in the words of the kubelet. */
  | { readonly type: "failed"; readonly message: string };

/** The fifth can also say that input has ended, which nothing here has; servers before 1.30 know only the fourth. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const [stdout, stderr, status] = [1, 2, 3] as const;

/** Runs a program in a container, as `kubectl exec` does. Rejects with an `ApiError` where the API server does not open the stream. */
export async function runInPod(
  client: HttpClient,
  program: PodProgram,
  options: RunInPodOptions = {},
): Promise<ProgramEnd> {
  const { namespace, pod, container, command } = program;
  const { signal, timeoutMs = 60_000, mostBytes = 16 << 20, clock = systemClock } = options;
  const query = new URLSearchParams({ container, stdout: "true", stderr: "true" });
  for (const word of command) query.append("command", word);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec?${query.toString()}`;
  const abort = new LinkedAbort(signal);
  const cancel = clock.after(timeoutMs, abort.abort);
  try {
    const { accept, headers } = handshake(protocols);
    const response = await client.open({ method: "GET", path, headers }, abort);
    const { socket } = response;
    if (!socket) throw new Error("the API server answered without opening a stream");
    abort.onAbort(() => socket.destroy());
    // A socket may fail after nobody reads it any more.
    socket.on("error", () => {});
    try {
      if (response.header("sec-websocket-accept") !== accept) throw new Error("what answered speaks no WebSocket");
      abort.throwIfAborted();
      return await outcomeOf(socket, mostBytes);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (isApiError(error) && !abort.aborted) throw error;
    const why = abort.aborted ? `it did not end within ${timeoutMs} ms` : (error as Error).message;
    const request = `run ${command.join(" ")} in pod ${namespace}/${pod}`;
    throw new ApiError({ code: 0, reason: "Unreachable", message: `${request}: ${why}`, request, cause: error });
  } finally {
    cancel();
    abort.unlink();
  }
}

/** Each message begins with the number of its channel. Output may arrive after the message about the end. */
async function outcomeOf(socket: Duplex, mostBytes: number): Promise<ProgramEnd> {
  const output = new Map<number, Buffer[]>([stdout, stderr, status].map((channel) => [channel, []]));
  let bytes = 0;
  for await (const message of messagesOf(socket)) {
    const [channel = 0] = message;
    const content = message.subarray(1);
    bytes += content.length;
    if (bytes > mostBytes) throw new Error(`the program writes more than ${mostBytes} bytes`);
    output.get(channel)?.push(content);
  }
  const text = (channel: number): string => Buffer.concat(output.get(channel) ?? []).toString("utf8");
  const end = text(status);
  if (end === "") throw new Error("the connection ended before the program did");
  return endOf(JSON.parse(end), { stdout: text(stdout), stderr: text(stderr) });
}

function endOf(answer: unknown, output: { readonly stdout: string; readonly stderr: string }): ProgramEnd {
  const exited = (code: number): ProgramEnd => ({ type: "exited", code, ...output });
  if (at(answer, "status") === "Success") return exited(0);
  const causes = at(answer, "details", "causes");
  const exit = Array.isArray(causes) ? causes.find((cause) => at(cause, "reason") === "ExitCode") : undefined;
  if (at(answer, "reason") === "NonZeroExitCode" && exit !== undefined) return exited(Number(at(exit, "message")));
  const message = at(answer, "message");
  return { type: "failed", message: typeof message === "string" ? message : "no reason was given" };
}
