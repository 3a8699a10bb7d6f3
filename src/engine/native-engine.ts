import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../tuned/resolve.ts";
import type { Unit } from "../tuned/unit.ts";
import type { ApplyReport, Difference, Engine, Restored, SettingReport } from "./engine.ts";
import { type Journal, loadJournal, saveJournal } from "./journal.ts";
import type { Plugin, Step } from "./plugin.ts";
import { sysctl } from "./plugins/sysctl.ts";

type UnitStep = Step & { readonly unit: string };

/** Applies profiles itself, without the TuneD daemon. */
export function nativeEngine(plugins: readonly Plugin[] = [sysctl]): Engine {
  const byType = new Map(plugins.map((plugin) => [plugin.type, plugin]));
  return {
    name: "native",

    async apply(profile, host): Promise<ApplyReport> {
      const journal = await loadJournal(host);
      const steps = await planUnits(profile, host, journal, byType);
      const wanted = new Set(steps.flatMap((step) => (step.type === "impossible" ? [] : [step.path])));

      const originals = new Map(journal.originals);
      for (const step of steps)
        if (step.type === "write" && !originals.has(step.path)) originals.set(step.path, step.before);
      if (originals.size > journal.originals.size) await saveJournal(host, { ...journal, originals });

      const restored = await restore(
        host,
        [...originals].filter(([path]) => !wanted.has(path)),
      );
      const settings: SettingReport[] = [];
      for (const step of steps) settings.push(await carryOut(step, host));

      if (forget(originals, restored)) await saveJournal(host, { ...journal, originals });
      return { settings, restored };
    },

    async verify(profile, host) {
      const steps = await planUnits(profile, host, await loadJournal(host), byType);
      return { differences: steps.flatMap(difference) };
    },

    async rollback(host) {
      const journal = await loadJournal(host);
      const originals = new Map(journal.originals);
      const restored = await restore(host, [...originals]);
      if (forget(originals, restored)) await saveJournal(host, { ...journal, originals });
      return { restored };
    },
  };
}

async function planUnits(
  profile: ResolvedProfile,
  host: Host,
  journal: Journal,
  plugins: ReadonlyMap<string, Plugin>,
): Promise<UnitStep[]> {
  const observe = { host, original: (path: string) => journal.originals.get(path) };
  const steps: UnitStep[] = [];
  for (const unit of profile.units) {
    if (!unit.enabled || unit.unmet !== undefined) continue;
    const plugin = plugins.get(unit.type);
    const planned = plugin ? await plugin.plan(unit, observe) : [unknownPlugin(unit)];
    for (const step of planned) steps.push({ ...step, unit: unit.name });
  }
  return lastOfEachPath(steps);
}

function unknownPlugin(unit: Unit): Step {
  const [first] = unit.options.values();
  return {
    type: "impossible",
    option: "",
    from: first?.from ?? "",
    message: `the native engine has no plug-in ${unit.type}`,
  };
}

/** Two options may mean one file: the later wins, as it would by being written last. */
function lastOfEachPath(steps: UnitStep[]): UnitStep[] {
  const last = new Map<string, UnitStep>();
  for (const step of steps) if (step.type !== "impossible") last.set(step.path, step);
  return steps.filter((step) => step.type === "impossible" || last.get(step.path) === step);
}

async function carryOut({ unit, option, from, ...step }: UnitStep, host: Host): Promise<SettingReport> {
  const about = { unit, option, from };
  if (step.type === "impossible") return { ...about, type: "failed", message: step.message };
  const { path, value } = step;
  if (step.type === "same") return { ...about, type: "same", path, value };
  const outcome = await host.write(path, value);
  if (outcome.type === "failed")
    return { ...about, type: "failed", message: `cannot write ${JSON.stringify(value)}: ${outcome.message}` };
  return { ...about, type: "set", path, value, before: step.before };
}

function difference({ unit, option, from, ...step }: UnitStep): Difference[] {
  if (step.type === "same") return [];
  const message =
    step.type === "impossible"
      ? step.message
      : `is ${JSON.stringify(step.before)}, expected ${JSON.stringify(step.value)}`;
  return [{ unit, option, from, message }];
}

async function restore(host: Host, originals: [path: string, value: string][]): Promise<Restored[]> {
  const restored: Restored[] = [];
  for (const [path, value] of originals) {
    const outcome = await host.write(path, value);
    // What is no longer there (an interface went away) has nothing to put back.
    const failed = outcome.type === "failed" && outcome.code !== "ENOENT";
    restored.push(failed ? { path, value, failed: outcome.message } : { path, value });
  }
  return restored;
}

/** Takes what is as it was out of the originals; says whether that was anything. */
function forget(originals: Map<string, string>, restored: readonly Restored[]): boolean {
  const before = originals.size;
  for (const { path, failed } of restored) if (failed === undefined) originals.delete(path);
  return originals.size < before;
}
