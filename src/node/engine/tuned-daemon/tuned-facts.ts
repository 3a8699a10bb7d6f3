import type { Host } from "../../host/host.ts";
import { findTuned } from "./other-tuned.ts";

/** What a node has of TuneD. */
export type TunedFacts =
  | { readonly type: "missing"; readonly message: string }
  | {
      readonly type: "installed";
      readonly version: string;
      /** Why it should not be started, or did not when it was tried. */
      readonly unusable?: string;
    };

export async function tunedFacts(host: Pick<Host, "read" | "list" | "run">, own?: number): Promise<TunedFacts> {
  const facts = await tunedVersion(host);
  if (facts.type === "missing") return facts;
  const { other } = await findTuned(host, own);
  return other ? { ...facts, unusable: other.message } : facts;
}

/** Asking for the version loads all of TuneD's modules: what it lacks of Python shows here. */
export async function tunedVersion(host: Pick<Host, "run">): Promise<TunedFacts> {
  const answer = await host.run(["tuned", "--version"]);
  if (answer.type === "failed") return { type: "missing", message: "TuneD is not installed" };
  if (answer.code !== 0) {
    const words = answer.stderr.trim().split("\n").at(-1) ?? "";
    return { type: "missing", message: `TuneD does not start: ${words || `exit code ${answer.code}`}` };
  }
  const version = /\b([0-9]+\.[0-9]+(\.[0-9]+)?)\b/.exec(answer.stdout)?.[1];
  if (version === undefined) return { type: "missing", message: "TuneD does not tell its version" };
  return { type: "installed", version };
}
