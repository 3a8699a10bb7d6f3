import type { Host } from "../host/host.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { Setting, Unit } from "../../language/tuned/unit.ts";
import { DevicePool } from "./claim-devices.ts";
import { deviceScripts } from "./device-scripts.ts";
import { type ApplyOptions, scriptDirectories, systemDirectories } from "./engine.ts";
import type { Ledger } from "./ledger.ts";
import { PlannedHost, realName } from "./planned-host.ts";
import type { Follow, Observe, Occasion, Plugin, Step } from "./plugin.ts";
import { isChange, type UnitStep } from "./unit-step.ts";

export interface PlanInput {
  profile: ResolvedProfile;
  host: Host;
  ledger: Ledger;
  plugins: ReadonlyMap<string, Plugin>;
  purpose: Observe["purpose"];
  options: ApplyOptions;
  follow?: Follow | undefined;
}

const defaultDirectories = [...scriptDirectories, ...systemDirectories, "/var/lib/ocp-tuned/profiles"];

/** The steps of a profile's units, each planned for the node as the units before it will leave it. */
export async function planUnits(input: PlanInput): Promise<UnitStep[]> {
  const { profile, host, ledger, plugins, purpose, options, follow } = input;
  const planned = new PlannedHost(host);
  const values = new Map<string, string>();
  const pools = new Map<Plugin, { devices: DevicePool; instances: number }>();
  const steps: UnitStep[] = [];
  for (const unit of profile.units) {
    if (!unit.enabled || unit.unmet !== undefined) continue;
    const plugin = plugins.get(unit.type);
    if (!plugin) {
      steps.push({ ...unknownPlugin(unit), unit: unit.name });
      continue;
    }
    if (follow && !occasionsOf(plugin).includes(follow.occasion)) continue;
    const pool = pools.get(plugin) ?? { devices: new DevicePool(plugin), instances: 0 };
    pools.set(plugin, pool);
    const observe: Observe = {
      host: planned,
      purpose,
      follow,
      original: (target) => values.get(target) ?? ledger.find(target)?.before,
      applied: (target) => ledger.find(target)?.claims.at(-1)?.value,
      refused: (target) => ledger.find(target)?.refused === true,
      profile,
      profileDirectories: options.profileDirectories ?? defaultDirectories,
      variables: profile.variables,
      reapplySysctl: options.reapplySysctl ?? { enabled: true, exclude: [] },
      instance: pool.instances++,
    };
    for (const step of await planUnit(unit, plugin, pool.devices, observe)) {
      const named = await byRealName({ ...step, unit: unit.name }, host);
      steps.push(named);
      if (purpose === "verify" || !isChange(named)) continue;
      for (const name of [named.target, named.alias]) if (name !== undefined) values.set(name, named.value);
      if (named.type === "change") await planned.intend(named.actions);
    }
  }
  return steps;
}

/** A unit that cannot be planned does not stop the others. */
async function planUnit(unit: Unit, plugin: Plugin, pool: DevicePool, observe: Observe): Promise<Step[]> {
  const about = aboutUnit(unit);
  try {
    const claimed = await pool.claim(unit, observe);
    if (claimed.type === "none") {
      const { level, message } = claimed;
      return [
        level === "error"
          ? { ...about, type: "impossible", message, verified: false }
          : { ...about, type: "skipped", message },
      ];
    }
    const devices = claimed.devices.filter((device) => isDue(device, observe.follow));
    if (plugin.devices && devices.length === 0) return [];
    const { before, after } = await deviceScripts(unit, observe, devices);
    return [...before, ...(await plugin.plan(withDefaults(unit, plugin), observe, devices)), ...after];
  } catch (error) {
    return [{ ...about, type: "impossible", message: error instanceof Error ? error.message : String(error) }];
  }
}

function occasionsOf(plugin: Plugin): readonly Occasion[] {
  return plugin.follows ?? (plugin.devices ? ["resync", "devices"] : ["resync"]);
}

/** Devices that were there before are claimed as well, but not planned again for one that appears. */
function isDue(device: string, follow: Follow | undefined): boolean {
  return follow?.occasion !== "devices" || follow.devices.has(device);
}

function withDefaults(unit: Unit, { type, defaults = {} }: Plugin): Unit {
  const options = new Map<string, Setting>();
  for (const [option, value] of Object.entries(defaults))
    if (value !== null && !unit.options.has(option))
      options.set(option, { value, from: `default of [${type}]`, overrides: [] });
  if (options.size === 0) return unit;
  for (const [option, setting] of unit.options) options.set(option, setting);
  return { ...unit, options };
}

function unknownPlugin(unit: Unit): Step {
  const message = `the native engine has no plug-in ${unit.type}`;
  return { ...aboutUnit(unit), type: "impossible", message, verified: false };
}

function aboutUnit(unit: Unit): { option: string; from: string } {
  const [first] = unit.options.values();
  return { option: "", from: first?.from ?? "" };
}

/** Two paths may lead to one file: its original is recorded once, under the file's real path (Q27). */
async function byRealName(step: UnitStep, host: Host): Promise<UnitStep> {
  if (!isChange(step) || !step.target.startsWith("/")) return step;
  const target = await realName(step.target, host);
  return target === step.target ? step : { ...step, target, alias: step.target };
}
