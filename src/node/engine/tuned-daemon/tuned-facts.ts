import type { Host } from "../../host/host.ts";
import { findTuned } from "./other-tuned.ts";

/** The TuneD of a node. */
export type TunedFacts =
  | { readonly type: "missing"; readonly message: string }
  | {
      readonly type: "installed";
      readonly version: string;
      /** Why it must not be started. */
      readonly unusable?: string;
    };

export async function tunedFacts(host: Pick<Host, "read" | "list" | "run">, own?: number): Promise<TunedFacts> {
  const facts = await tunedVersion(host);
  if (facts.type === "missing") return facts;
  const { other } = await findTuned(host, own);
  return other ? { ...facts, unusable: other.message } : facts;
}

/** `tuned --version` loads all of TuneD's modules, so that missing Python modules show here. */
export async function tunedVersion(host: Pick<Host, "run">): Promise<TunedFacts> {
  const answer = await host.run(["tuned", "--version"]);
  if (answer.type === "failed") return { type: "missing", message: "TuneD is not installed" };
  if (answer.code !== 0) {
    const reason = answer.stderr.trim().split("\n").at(-1) ?? "";
    return { type: "missing", message: `TuneD does not start: ${reason || `exit code ${answer.code}`}` };
  }
  const version = /\b([0-9]+\.[0-9]+(\.[0-9]+)?)\b/.exec(answer.stdout)?.[1];
  if (version === undefined) return { type: "missing", message: "TuneD does not print its version" };
  return { type: "installed", version };
}
