import { describe, expect, it } from "vitest";
import { isSameValue, activeOption, collapseBlanks } from "../../../src/language/tuned/value.ts";
import { journalPath } from "../../../src/node/engine/journal.ts";
import { Crash, CrashingHost } from "../../../src/node/engine/testing/crashing-host.ts";
import { type PerftuneRun, runPerftune } from "../../../src/node/perftune/run-perftune.ts";
import { undoPerftune } from "../../../src/node/perftune/undo-perftune.ts";
import { differences } from "./differences.ts";
import { type Deed, MemoryMachine } from "./memory-machine.ts";
import type { RecordedHost } from "./recorded-host.ts";
import { fixture, options } from "./recorded.ts";

interface RecordedRun {
  readonly id: string;
  readonly about: string;
  readonly machine: string;
  readonly args: readonly string[];
  readonly host: RecordedHost;
  readonly exit: number;
  readonly error?: string;
  readonly actions: readonly Deed[];
}

const runs = fixture<RecordedRun[]>("perftune-actions");
const good = runs.filter(({ exit }) => exit === 0);

/** As the plan's test has it: sysctls are files, and IRQs are banned when their numbers are final (W-15). */
function expectedOf({ id, actions }: RecordedRun): readonly Deed[] {
  const deeds = (differences.actions[id] ?? ((all: readonly Deed[]) => all))(actions).map((deed): Deed => {
    const [, name = "", value = ""] = ("run" in deed && /^sysctl -w (\S+)=(.*)$/.exec(deed.run)) || [];
    return name === "" ? deed : { write: `/proc/sys/${name.replaceAll(".", "/")}`, value };
  });
  const ofChannels = (deed: Deed): boolean => "run" in deed && deed.run.startsWith("ethtool -L");
  return [...deeds.filter(ofChannels), ...deeds.filter((deed) => !ofChannels(deed))];
}

/** A value that a file has already is not written again. Lines of irqbalance's config stay where they are. */
async function comparable(deeds: readonly Deed[], before: MemoryMachine): Promise<Deed[]> {
  const found: Deed[] = [];
  for (const deed of deeds) {
    if (!("write" in deed)) {
      found.push(deed);
      continue;
    }
    const file = await before.read(deed.write);
    const present = file.type === "text" ? activeOption(file.text, "everything") : "";
    if (isSameValue(collapseBlanks(deed.value), collapseBlanks(present))) continue;
    const lines = deed.value.split("\n").filter((line) => line !== "");
    found.push({ ...deed, value: deed.write.startsWith("/etc/") ? lines.toSorted().join("\n") : deed.value });
  }
  return found;
}

function failures({ results }: PerftuneRun): string[] {
  return results.flatMap((one) =>
    one.type === "failed" && one.action.type !== "set-channels" ? [one.message ?? ""] : [],
  );
}

describe("perftune on a host", () => {
  it.each(runs)("$id: $about", async (run) => {
    const host = new MemoryMachine(run.host, run.machine);
    const result = await runPerftune(host, options(run.args));
    if (run.exit !== 0) {
      expect(result).toMatchObject({ type: "refused", problem: expect.stringContaining(run.error ?? "") as string });
      expect([...host.changes()]).toEqual([]);
      return;
    }
    expect(result.type === "tuned" && failures(result)).toEqual([]);
    const before = new MemoryMachine(run.host, run.machine);
    expect(await comparable(host.deeds, before)).toEqual(await comparable(expectedOf(run), before));
  });

  it.each(good)("$id: a second run changes nothing, and undoing restores every byte", async (run) => {
    const host = new MemoryMachine(run.host, run.machine, { tellsChannels: true });
    await runPerftune(host, options(run.args));
    const done = new Map(host.changes());
    host.deeds.length = 0;
    const again = await runPerftune(host, options(run.args));
    expect(again.type === "tuned" && failures(again)).toEqual([]);
    expect(host.deeds).toEqual([]);
    expect(new Map(host.changes())).toEqual(done);
    expect((await undoPerftune(host)).filter(({ failed }) => failed !== undefined)).toEqual([]);
    expect([...host.changes()]).toEqual([]);
  });

  it.each(good)("$id: killed at any change, a run can be undone to the last byte", async (run) => {
    // The journal is a change, too.
    const least = expectedOf(run).some((deed) => "write" in deed) ? 1 : 0;
    for (let change = 0; ; change++) {
      let crashes = 0;
      for (const when of ["before", "after"] as const) {
        const host = new MemoryMachine(run.host, run.machine, { tellsChannels: true });
        const crashing = new CrashingHost(host, change, when);
        const outcome = await runPerftune(crashing, options(run.args)).catch((error: unknown) => error);
        if (outcome instanceof Crash) crashes++;
        await undoPerftune(host);
        expect([...host.changes()], `killed ${when} change ${change}`).toEqual([]);
        expect((await host.read(journalPath)).type).toBe("missing");
      }
      if (crashes > 0) continue;
      expect(change).toBeGreaterThanOrEqual(least);
      break;
    }
  });
});
