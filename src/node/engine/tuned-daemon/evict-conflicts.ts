import type { Host } from "../../host/host.ts";
import { NotAppliedError } from "./not-applied-error.ts";
import { findTuned } from "./other-tuned.ts";
import type { Timer } from "./launch.ts";

const tries = 100;
const betweenTriesMs = 20;

/** Refuses to go on beside a TuneD that Attune did not start; kills one that a killed Attune left, keeping its settings. */
export async function evictConflicts(host: Host, timer: Timer, own: number | undefined): Promise<void> {
  const { other, orphan } = await findTuned(host, own);
  if (other) throw new NotAppliedError("OtherTuned", other.message);
  if (orphan) await endOrphan(orphan.pid, host, timer);
}

export async function endOrphan(pid: number, host: Host, timer: Timer): Promise<void> {
  await host.run(["kill", "-KILL", String(pid)]);
  for (let left = tries; left > 0; left--) {
    const file = await host.read(`/proc/${pid}/cmdline`);
    // A zombie has an empty command line.
    if (file.type !== "text" || file.text === "") return;
    await new Promise<void>((resolve) => {
      timer.after(betweenTriesMs, resolve);
    });
  }
  throw new NotAppliedError("OtherTuned", `the TuneD of an earlier Attune (process ${pid}) does not end when killed`);
}
