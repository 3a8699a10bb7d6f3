import { type RequestOptions, request } from "node:https";
import { payloadPaths } from "../../../domain/rollout/first-boot/payload.ts";
import { serverName } from "../../../domain/rollout/first-boot/invitation.ts";
import type { TokenFile } from "../../../domain/rollout/first-boot/token-file.ts";
import { contentsOf } from "../../../language/ignition/file-contents.ts";
import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { readJson } from "../../../language/object/exact-json.ts";
import { at, isObject, text } from "../../../language/object/json.ts";
import type { KeptConfig } from "../machine-config/config-store.ts";

export type Fetched =
  | { readonly type: "config"; readonly config: KeptConfig }
  /** The pool configures nothing. */
  | { readonly type: "nothing" }
  /** Another try may succeed. */
  | { readonly type: "later"; readonly why: string }
  | { readonly type: "refused"; readonly why: string };

export type FetchPayload = (file: TokenFile, key: string, signal: AbortSignal) => Promise<Fetched>;

const accept = "application/vnd.coreos.ignition+json;version=3.5.0";
const timeoutMs = 20_000;
/** A rendered config has at most 1.5 MiB, and the payload has it twice, escaped. */
const mostBytes = 32 * 1024 * 1024;
/** The pool may be created, the config rendered and the operator started later. Every other refusal is final. */
const passing = new Set([404, 408, 429, 500, 502, 503, 504]);

/** Asks the operator for the config of the node's pool. */
export const fetchPayload: FetchPayload = async (file, key, signal) => {
  let answer: Answer;
  try {
    answer = await send(file, key, signal);
  } catch (error) {
    return { type: "later", why: `${file.server}: ${(error as Error).message}` };
  }
  const { code, body } = answer;
  if (code === 204) return { type: "nothing" };
  if (code !== 200) return { type: passing.has(code) ? "later" : "refused", why: `${code}: ${messageOf(body)}` };
  const config = configIn(body);
  return config ? { type: "config", config } : { type: "refused", why: "the answer has no rendered config" };
};

interface Answer {
  readonly code: number;
  readonly body: string;
}

function send(
  { server, certificateAuthority: ca, pool, token }: TokenFile,
  key: string,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = { accept, authorization: `Bearer ${token}`, "attune-first-boot-key": key };
  // The certificate names the endpoint and not its address, and its authority signs nothing else.
  const options: RequestOptions = { headers, ca, servername: serverName, signal, timeout: timeoutMs, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(`/config/${encodeURIComponent(pool)}`, server), options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > mostBytes) sent.destroy(new Error(`the answer has more than ${mostBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("end", () =>
        resolve({ code: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer for ${timeoutMs / 1000} s`)));
    sent.on("error", reject);
    sent.end();
  });
}

function messageOf(body: string): string {
  try {
    return text(at(readJson(body), "message"));
  } catch {
    return body.slice(0, 200);
  }
}

/** The rendered config, which is one of the files of the payload. */
function configIn(body: string): KeptConfig | undefined {
  try {
    const files = at(readJson(body), "storage", "files");
    const file = (Array.isArray(files) ? files : []).find((one) => at(one, "path") === payloadPaths.config);
    const config = readJson(contentsOf(file as IgnitionFile) ?? "");
    const [name, spec] = [text(at(config, "metadata", "name")), at(config, "spec")];
    return name !== "" && isObject(spec) ? { name, spec } : undefined;
  } catch {
    return undefined; // Not from an operator of Attune, whatever its certificate.
  }
}
