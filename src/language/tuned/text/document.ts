import type { Probe } from "../probe.ts";
import type { ResolvedProfile } from "../resolve.ts";
import type { Setting, Unit } from "../unit.ts";

/** A resolved profile as JSON, for clients and scripts. */
export interface ProfileDocument {
  profile: string;
  /** Every profile that was merged, in order. */
  chain: string[];
  variables: Record<string, string>;
  units: UnitDocument[];
  bootArguments: string[];
  /** Questions that only the node can answer. */
  unresolved: Probe[];
}

/** In TuneD's spelling. Optional attributes are present only where the profile sets them. */
export interface UnitDocument {
  name: string;
  type: string;
  enabled: boolean;
  devices: string;
  priority?: number;
  devices_udev_regex?: string;
  cpuinfo_regex?: string;
  uname_regex?: string;
  script_pre?: string;
  script_post?: string;
  /** The condition that this node does not meet. */
  unmet?: string;
  options: Record<string, OptionDocument>;
}

export interface OptionDocument {
  /** Several paths for an option named `script`. */
  value: string | string[];
  from: string;
  overrides: { value: string; from: string }[];
}

/** Units are in the order of their first appearance, not by priority. */
export function documentOf(profile: ResolvedProfile, unresolved: readonly Probe[] = []): ProfileDocument {
  const byName = new Map(profile.units.map((unit) => [unit.name, unit]));
  return {
    profile: profile.profile,
    chain: [...profile.chain],
    variables: Object.fromEntries(profile.variables),
    units: profile.sections.flatMap((name) => {
      const unit = byName.get(name);
      return unit ? [unitDocument(unit)] : [];
    }),
    bootArguments: [...profile.bootArguments],
    unresolved: [...unresolved],
  };
}

function unitDocument(unit: Unit): UnitDocument {
  return {
    name: unit.name,
    type: unit.type,
    enabled: unit.enabled,
    devices: unit.devices,
    ...(unit.priority !== 0 && { priority: unit.priority }),
    ...given("devices_udev_regex", unit.devicesUdevRegex),
    ...given("cpuinfo_regex", unit.cpuinfoRegex),
    ...given("uname_regex", unit.unameRegex),
    ...given("script_pre", unit.scriptPre),
    ...given("script_post", unit.scriptPost),
    ...given("unmet", unit.unmet),
    options: Object.fromEntries([...unit.options].map(([key, setting]) => [key, optionDocument(setting)])),
  };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

function optionDocument({ value, list, from, overrides }: Setting): OptionDocument {
  return { value: list ? [...list] : value, from, overrides: overrides.map((before) => ({ ...before })) };
}
