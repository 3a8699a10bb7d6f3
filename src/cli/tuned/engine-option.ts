import type { Engine } from "../../engine/engine.ts";
import { nativeEngine } from "../../engine/native-engine.ts";
import { chooseEngine as choose } from "../../engine/tuned-daemon/choose-engine.ts";
import { launchAt } from "../../engine/tuned-daemon/launch.ts";
import { TunedEngine } from "../../engine/tuned-daemon/tuned-engine.ts";
import { tunedFacts, type TunedFacts } from "../../engine/tuned-daemon/tuned-facts.ts";
import { usedFeatures } from "../../engine/tuned-daemon/used-features.ts";
import type { Host } from "../../host/host.ts";
import { stopOnSignals } from "../../runtime/signals.ts";
import type { ParsedProfile } from "../../tuned/parse-profile.ts";
import type { ResolvedProfile } from "../../tuned/resolve.ts";

export const engineNames = ["auto", "native", "tuned"] as const;

export function engineOption(value: unknown): (typeof engineNames)[number] {
  const name = engineNames.find((one) => one === value);
  if (name === undefined) throw new Error(`--engine ${String(value)}: not one of ${engineNames.join(", ")}`);
  return name;
}

export interface EngineInput {
  readonly option: (typeof engineNames)[number];
  readonly root: string;
  readonly host: Host;
  readonly profile: ResolvedProfile;
  /** What the profile was merged from. */
  readonly texts: readonly ParsedProfile[];
}

export interface ChosenEngine {
  readonly engine: Engine;
  readonly reason: string;
  /** A daemon that was started for this is ended; what it set stays. */
  readonly close: () => void;
}

/** The engine that is asked for, or the one that suits the profile and the node. */
export async function chooseEngine({ option, root, host, profile, texts }: EngineInput): Promise<ChosenEngine> {
  const asked = "asked for";
  if (option === "native") return native(asked);
  if (option === "tuned") return tunedDaemon(root, asked);
  const facts = (await hasTuned(host)) ? await tunedFacts(host) : notInstalled;
  const { engine, reason } = choose(usedFeatures(profile, texts), facts);
  return engine === "native" ? native(reason) : tunedDaemon(root, reason);
}

const notInstalled: TunedFacts = { type: "missing", message: "TuneD is not installed" };

/** Every installation has this folder. Looking is faster than trying to run TuneD, and most nodes do not have it. */
async function hasTuned(host: Host): Promise<boolean> {
  return (await host.list("/usr/lib/tuned")).length > 0;
}

function native(reason: string): ChosenEngine {
  return { engine: nativeEngine(), reason, close: () => undefined };
}

/** TuneD's daemon, for as long as this process wants it. */
export function tunedDaemon(root: string, reason: string): ChosenEngine {
  const over = new AbortController();
  const signals = stopOnSignals();
  const timers = new Set<NodeJS.Timeout>();
  const timer = {
    after(ms: number, callback: () => void): () => void {
      const handle = setTimeout(callback, ms);
      timers.add(handle);
      return () => clearTimeout(handle);
    },
  };
  const signal = AbortSignal.any([over.signal, signals.signal]);
  return {
    engine: new TunedEngine({ launch: launchAt(root), timer, signal }),
    reason,
    close() {
      over.abort();
      signals.dispose();
      for (const handle of timers) clearTimeout(handle);
    },
  };
}
