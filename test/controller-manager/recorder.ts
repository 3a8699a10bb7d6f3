import type { Authority } from "../../src/embedded/apiserver/auth/authority.ts";
import { FaultProxy } from "../fault-proxy/fault-proxy.ts";

/** A request and the code of its response, without names of objects. */
export interface Answered {
  /** `GET apps/deployments/status`, `WATCH pods` */
  readonly request: string;
  readonly code: number;
  /** Whether it came after `beginEndgame`. */
  readonly endgame: boolean;
}

export interface Recorder {
  readonly url: string;
  readonly answers: readonly Answered[];
  beginEndgame(): void;
  close(): Promise<void>;
}

/** A proxy that records every request and the code of its response. */
export async function startRecorder(server: { url: string; authority: Authority }): Promise<Recorder> {
  const { serverCertPem: cert, serverKeyPem: key, caPem: ca } = server.authority;
  const answers: Answered[] = [];
  let endgame = false;
  const proxy = new FaultProxy({
    cert,
    key,
    upstream: { url: server.url, ca },
    onAnswer: ({ method = "", url = "" }, { statusCode = 0 }) =>
      answers.push({ request: withoutNames(method, url), code: statusCode, endgame }),
  });
  await proxy.listen();
  return { url: proxy.url, answers, beginEndgame: () => (endgame = true), close: () => proxy.close() };
}

function withoutNames(method: string, url: string): string {
  const [path = "", query = ""] = url.split("?");
  const verb = new URLSearchParams(query).get("watch") === "true" ? "WATCH" : method;
  const parts = path.split("/").slice(1);
  if (parts[0] !== "api" && parts[0] !== "apis") return `${verb} ${path}`;
  const [group, rest] = parts[0] === "api" ? ["", parts.slice(2)] : [`${parts[1]}/`, parts.slice(3)];
  if (rest.length === 0) return `${verb} ${path}`;
  const isInNamespace = rest[0] === "namespaces" && rest.length > 2 && !["finalize", "status"].includes(rest[2] ?? "");
  const [plural, name, ...part] = isInNamespace ? rest.slice(2) : rest;
  const kind = [`${group}${plural}`, ...(name === undefined ? [] : ["NAME"]), ...part].join("/");
  return `${verb} ${kind}`;
}
