import type { ContainerRuntime, Inspection } from "../container-runtime.ts";
import { readStatus, statusRequest } from "./container-status.ts";
import { callGrpc, type GrpcAnswer, grpcCodes } from "./grpc-call.ts";

/** Where runtimes listen by default, as a node sees it. */
export const defaultEndpoints: readonly string[] = [
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
  "/var/run/cri-dockerd.sock",
  "/var/run/dockershim.sock",
];

export interface CriRuntimeOptions {
  /** Sockets as the node sees them, also as `unix://` URLs. All are asked, the first that knows a container answers. */
  readonly endpoints?: readonly string[] | undefined;
  /** Where this process finds a path of the node; undefined where there is nothing. */
  readonly locate: (path: string) => Promise<string | undefined>;
  /** For an answer. Default 5 s. */
  readonly timeoutMs?: number | undefined;
}

/** Runtimes serve one of both versions, with the same messages. */
const versions = ["v1", "v1alpha2"] as const;

/** Container runtimes that serve the Container Runtime Interface on a socket of the node. */
export class CriRuntime implements ContainerRuntime {
  readonly #options: CriRuntimeOptions;
  readonly #endpoints: readonly string[];

  constructor(options: CriRuntimeOptions) {
    this.#options = options;
    this.#endpoints = (options.endpoints ?? defaultEndpoints).map(pathOf);
  }

  async inspect(id: string, signal?: AbortSignal): Promise<Inspection> {
    const failures: string[] = [];
    let answered = false;
    for (const endpoint of this.#endpoints) {
      const socket = await this.#options.locate(endpoint);
      if (socket === undefined) continue;
      const found = await this.#ask(socket, id, signal);
      if (found.type === "found") return found;
      if (found.type === "missing") answered = true;
      else failures.push(`${endpoint}: ${found.message}`);
    }
    // A node may have a second runtime that serves no pods, or that does not run.
    if (answered && failures.length === 0) return { type: "missing" };
    const none = `no socket of a container runtime: ${this.#endpoints.join(", ")}`;
    return { type: "failed", message: failures.length > 0 ? failures.join("; ") : none };
  }

  async #ask(socket: string, id: string, signal: AbortSignal | undefined): Promise<Inspection> {
    const { timeoutMs = 5000 } = this.#options;
    let answer: GrpcAnswer = { type: "failed", message: "" };
    for (const version of versions) {
      const method = `/runtime.${version}.RuntimeService/ContainerStatus`;
      answer = await callGrpc({ socket, method, message: statusRequest(id), timeoutMs, signal });
      if (answer.type !== "status" || answer.code !== grpcCodes.unimplemented) break;
    }
    return inspection(answer, id);
  }
}

function inspection(answer: GrpcAnswer, id: string): Inspection {
  if (answer.type === "failed") return answer;
  if (answer.type === "status") {
    const { code, message } = answer;
    // dockershim has no code of its own for it.
    if (code === grpcCodes.notFound || /no such container/i.test(message)) return { type: "missing" };
    return { type: "failed", message: `it refuses with code ${code}: ${message}` };
  }
  try {
    const container = readStatus(answer.bytes);
    if (container.id !== id) return { type: "failed", message: `it describes container ${container.id} instead` };
    return { type: "found", container };
  } catch (error) {
    return { type: "failed", message: (error as Error).message };
  }
}

function pathOf(endpoint: string): string {
  return endpoint.replace(/^unix:\/\//, "");
}
