import type { Host } from "../host/host.ts";
import { type Answer, type Probe, probeKey } from "../tuned/probe.ts";

const timeoutMs = 5_000;

/** Asks the node. A program that fails has no answer, as in TuneD. */
export async function answerProbes(
  probes: readonly Probe[],
  host: Host,
  signal?: AbortSignal,
): Promise<[string, Answer][]> {
  return Promise.all(
    probes.map(async (probe): Promise<[string, Answer]> => {
      const result = await host.run(probe.argv, { timeoutMs, signal });
      const answered = result.type === "exited" && result.code === 0;
      return [probeKey(probe), answered ? { type: "text", text: result.stdout } : { type: "none" }];
    }),
  );
}
