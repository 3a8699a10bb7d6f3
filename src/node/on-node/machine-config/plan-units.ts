import type { MachineUnit } from "../../../domain/machine-config/machine-contents.ts";
import { placedFile } from "../../engine/placed.ts";
import type { Action } from "../../engine/action.ts";
import { systemctl, systemctlTimeoutMs } from "../../engine/plugins/systemctl.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";
import { type At, machineConfigOwner, type Wanted } from "./place-step.ts";

export const unitFolder = "/etc/systemd/system";

export interface UnitPlan {
  readonly places: readonly Wanted[];
  /** Enables and disables, after the files are in place and systemd has read them. */
  readonly steps: readonly UnitStep[];
}

export async function planUnits(units: readonly MachineUnit[], at: At): Promise<UnitPlan> {
  const places = await Promise.all(units.map((unit) => filesOf(unit, at.host)));
  const steps = await Promise.all(units.map((unit) => enablement(unit, at)));
  const flat = steps.flat();
  // Consecutive ones are one program.
  const isOn = ({ option }: UnitStep): boolean => option.endsWith(" enabled");
  return { places: places.flat(), steps: [...flat.filter(isOn), ...flat.filter((step) => !isOn(step))] };
}

/** Reads the files of units again, once for all of them. */
export function daemonReload(config: string): UnitStep {
  return {
    unit: machineConfigOwner,
    option: "systemd",
    from: config,
    type: "change",
    target: "systemctl daemon-reload",
    before: "",
    value: "",
    actions: [systemctl("daemon-reload")],
    undo: [],
  };
}

async function filesOf(unit: MachineUnit, host: Pick<Host, "stat">): Promise<Wanted[]> {
  const option = `systemd.units ${unit.name}`;
  const path = `${unitFolder}/${unit.name}`;
  const names = [unit.name, ...unit.dropins.map(({ name }) => name)];
  const bad = names.find((name) => !isFileName(name));
  if (bad !== undefined)
    return [{ path, option, placed: { impossible: `${JSON.stringify(bad)} is not the name of a file` } }];
  const dropins = unit.dropins.map(({ name, contents }): Wanted => ({
    path: `${path}.d/${name}`,
    option,
    // An empty drop-in means none.
    placed: contents === "" ? { kind: "missing" } : textFile(contents),
  }));
  if (unit.isMasked === true)
    return [...dropins, { path, option, placed: { kind: "link", target: "/dev/null", uid: 0, gid: 0 } }];
  if (unit.contents !== undefined && unit.contents !== "")
    return [...dropins, { path, option, placed: textFile(unit.contents) }];
  const present = unit.isMasked === false ? await host.stat(path) : undefined;
  const isMask = present?.type === "link" && present.target === "/dev/null";
  return isMask ? [...dropins, { path, option, placed: { kind: "missing" } }] : dropins;
}

function isFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");
}

function textFile(text: string): Wanted["placed"] {
  return placedFile(new TextEncoder().encode(text), { mode: 0o644, uid: 0, gid: 0 });
}

/** What `systemctl is-enabled` prints for a unit that `systemctl enable` can do nothing for. */
const fixed = new Set(["static", "indirect", "alias", "generated", "transient"]);

async function enablement(unit: MachineUnit, { config, host }: At): Promise<UnitStep[]> {
  const { name, isEnabled, isMasked } = unit;
  if (isEnabled === undefined || isMasked === true || !isFileName(name)) return [];
  const found = await enabledState(name, host);
  const wanted = isEnabled ? "enabled" : "disabled";
  const isNew = unit.contents !== undefined && unit.contents !== "";
  const about = { unit: machineConfigOwner, option: `systemd.units ${name} ${wanted}`, from: config };
  if (found === "not-found" && !isNew)
    return isEnabled ? [{ ...about, type: "skipped", message: `the node has no unit ${name} to enable` }] : [];
  const same = isEnabled ? found === "enabled" || fixed.has(found) : !found.startsWith("enabled");
  return [
    {
      ...about,
      type: same ? "same" : "change",
      target: `systemctl enable ${name}`,
      before: found,
      value: wanted,
      actions: [enabling(isEnabled ? "enable" : "disable", name)],
      undo: [enabling(found === "enabled" ? "enable" : "disable", name, [1])],
      lasts: "persistent",
    },
  ];
}

/** `tolerate`: a unit that is gone has nothing to restore. */
function enabling(verb: "enable" | "disable", name: string, tolerate: readonly number[] = []): Action {
  return { ...systemctl(verb, name), shared: 2, ...(tolerate.length > 0 ? { tolerate } : {}) };
}

/** `enabled`, `disabled`, `static`, …, as systemctl prints it; it exits with 1 for many of them. */
async function enabledState(name: string, host: Pick<Host, "run">): Promise<string> {
  const answer = await host.run(["systemctl", "is-enabled", name], { timeoutMs: systemctlTimeoutMs });
  if (answer.type === "failed") return "not-found";
  return answer.stdout.trim().split("\n")[0] || "not-found";
}
