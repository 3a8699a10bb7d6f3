import { describe, expect, it } from "vitest";
import type { PerftuneAction } from "../../../src/domain/scylla/perftune/action.ts";
import { planChannels } from "../../../src/domain/scylla/perftune/plan-channels.ts";
import { planTuning } from "../../../src/domain/scylla/perftune/plan-tuning.ts";
import type { PerftuneStep } from "../../../src/domain/scylla/perftune/plan.ts";
import { differences } from "./differences.ts";
import { HostInFixture, type RecordedHost } from "./recorded-host.ts";
import { fixture, options as optionsOf } from "./recorded.ts";

interface RecordedRun {
  readonly id: string;
  readonly about: string;
  readonly machine: string;
  readonly args: readonly string[];
  readonly host: RecordedHost;
  readonly exit: number;
  readonly error?: string;
  readonly actions: readonly Deed[];
  readonly finalFiles?: Readonly<Record<string, string>>;
}

type Deed =
  | { readonly run: string; readonly ok: boolean }
  | { readonly write: string; readonly value: string }
  | { readonly backup: string; readonly to: string };

const runs = fixture<RecordedRun[]>("perftune-actions");

/** The plan of both phases, as what is done to the host; or why there is none. */
function done({ machine, args, host: recorded }: RecordedRun): Deed[] | string {
  const options = optionsOf(args);
  const host = new HostInFixture(recorded, machine);
  const before = host.facts(options);
  const channels = planChannels(options, before);
  if (channels.type === "refused") return channels.problem;
  const tried = actionsOf(channels.steps).flatMap((action) => (action.type === "set-channels" ? [action] : []));
  const accepted = tried.flatMap((action) => host.setChannels(action).map((run) => ({ ...run, nic: action.nic })));
  const asWanted = new Set([...channels.asWanted, ...accepted.flatMap(({ ok, nic }) => (ok ? [nic] : []))]);
  const tuning = planTuning(options, host.facts(options), { asWanted, isDryRun: false });
  if (tuning.type === "refused") return tuning.problem;
  const refused = (path: string): boolean => recorded.failWrites?.includes(path) === true;
  return [
    ...accepted.map(({ run, ok }) => ({ run, ok })),
    ...actionsOf(tuning.steps)
      .flatMap(deedsOf)
      .filter((deed) => !("write" in deed && refused(deed.write))),
  ];
}

function actionsOf(steps: readonly PerftuneStep[]): PerftuneAction[] {
  return steps.flatMap((step) => (step.type === "note" ? [] : [step]));
}

function deedsOf(action: PerftuneAction): Deed[] {
  switch (action.type) {
    case "write":
      return [{ write: action.path, value: action.value }];
    case "set-ntuple":
      return [{ run: `ethtool -K ${action.nic} ntuple ${action.on ? "on" : "off"}`, ok: true }];
    case "ban-irqs": {
      const backup = { backup: action.path, to: action.backup };
      return [...(action.hasBackup ? [] : [backup]), { write: action.path, value: action.text }];
    }
    case "run":
      return [{ run: action.argv.join(" "), ok: true }];
    case "set-channels":
      throw new Error("the number of queues belongs to the first phase");
  }
}

/** A sysctl as a file, and the number of queues first: IRQs are banned after it, when their numbers are final (scylla W-15). */
function expectedOf({ id, actions }: RecordedRun): readonly Deed[] {
  const deeds = (differences.actions[id] ?? ((all: readonly Deed[]) => all))(actions).map((deed) => {
    const [, name = "", value = ""] = ("run" in deed && /^sysctl -w (\S+)=(.*)$/.exec(deed.run)) || [];
    return name === "" ? deed : { write: `/proc/sys/${name.replaceAll(".", "/")}`, value };
  });
  const ofChannels = (deed: Deed): boolean => "run" in deed && deed.run.startsWith("ethtool -L");
  return [...deeds.filter(ofChannels), ...deeds.filter((deed) => !ofChannels(deed))];
}

describe("a run of perftune", () => {
  it.each(runs)("$id: $about", (run) => {
    const result = done(run);
    if (run.exit !== 0) expect(result).toContain(run.error);
    else expect(result).toEqual(expectedOf(run));
  });

  it("differs from what was recorded where the list of differences says so", () => {
    for (const id of Object.keys(differences.actions)) {
      const run = runs.find((one) => one.id === id);
      expect(run && differences.actions[id]?.(run.actions), id).not.toEqual(run?.actions);
    }
  });
});
