import type { CommandResult } from "../../../node/host/host.ts";
import type { RunningMachine } from "../running-machine.ts";
import { bootServices, unitFolder } from "./base-units.ts";
import { runScript } from "./unit-scripts.ts";
import { findUnit, ownUnits, type Unit, wantedUnits } from "../../../node/host/unit-files.ts";

/** In which state a unit is, where that is not the one after the first boot. */
const stateFolder = "/run/lab/services";

export type UnitState = "running" | "stopped" | "failed";

export async function unitState(name: string, machine: RunningMachine): Promise<UnitState> {
  const file = await machine.read(`${stateFolder}/${name}`);
  const state = file.type === "text" ? file.text.trim() : "";
  if (state === "running" || state === "stopped" || state === "failed") return state;
  const runsAfterFirstBoot = bootServices.has(name) && (await machine.read(`${unitFolder}/${name}`)).type === "text";
  return runsAfterFirstBoot ? "running" : "stopped";
}

async function setState(name: string, state: UnitState, machine: RunningMachine): Promise<void> {
  if ((await unitState(name, machine)) !== state) machine.put(`${stateFolder}/${name}`, `${state}\n`);
}

export async function isActive(name: string, machine: RunningMachine): Promise<boolean> {
  return (await unitState(name, machine)) === "running";
}

/** Starts a unit, or starts it again. One-shot units run their program to its end. */
export async function startUnit(unit: Unit, machine: RunningMachine): Promise<CommandResult> {
  const { name, values } = unit;
  const missing = await unmetCondition(unit, machine);
  if (missing !== undefined) return done;
  const failure =
    (await failedRequirement(unit, machine)) ?? (await runPrograms(unit, machine)) ?? (await machine.unitStarted(name));
  if (failure !== undefined) {
    await setState(name, "failed", machine);
    const message = `Job for ${name} failed: ${failure}\n`;
    return { type: "exited", code: 1, stdout: "", stderr: message };
  }
  const isOver =
    isOneShot(unit) && !["yes", "true", "1", "on"].includes(values("Service", "RemainAfterExit").at(-1) ?? "");
  await setState(name, isOver ? "stopped" : "running", machine);
  return done;
}

export async function stopUnit(name: string, machine: RunningMachine): Promise<CommandResult> {
  await setState(name, "stopped", machine);
  machine.unitStopped(name);
  return done;
}

/** Starts at boot what is enabled, in the order of `Before=` and `After=` as far as one-shot units need it: they run first. */
export async function startAtBoot(machine: RunningMachine): Promise<void> {
  const units: Unit[] = [];
  for (const name of await wantedUnits(machine)) {
    const found = await findUnit(machine, name);
    if (found.type === "unit") units.push(found.unit);
  }
  const enabled = new Set(units.map(({ name }) => name));
  for (const name of bootServices) if (!enabled.has(name)) await setState(name, "stopped", machine);
  for (const unit of units.toSorted((a, b) => Number(isOneShot(b)) - Number(isOneShot(a))))
    await startUnit(unit, machine);
}

function isOneShot({ values }: Unit): boolean {
  return values("Service", "Type").at(-1) === "oneshot";
}

async function unmetCondition({ values }: Unit, machine: RunningMachine): Promise<string | undefined> {
  for (const given of values("Unit", "ConditionPathExists")) {
    const negated = given.startsWith("!");
    const path = given.replace(/^!/, "");
    const exists = (await machine.read(path)).type === "text" || (await machine.list(path)).length > 0;
    if (exists === negated) return path;
  }
  return undefined;
}

/** A unit that it requires and that failed, or does not exist. Those that are required run first. */
async function failedRequirement({ name, values }: Unit, machine: RunningMachine): Promise<string | undefined> {
  const named = values("Unit", "Requires").flatMap((value) => value.split(/\s+/));
  for (const required of named)
    if ((await findUnit(machine, required)).type === "missing") return `Unit ${required} not found.`;
  for (const required of [...named, ...(await machine.list(`${ownUnits}/${name}.requires`))])
    if ((await unitState(required, machine)) === "failed") return `${required}, which it requires, has failed`;
  return undefined;
}

/** Why a program of the unit failed. */
async function runPrograms(unit: Unit, machine: RunningMachine): Promise<string | undefined> {
  if (!isOneShot(unit)) return undefined;
  const environment = await environmentOf(unit, machine);
  for (const line of unit.values("Service", "ExecStart")) {
    const [, prefix = "", command = ""] = /^([-@:+!]*)(.*)$/s.exec(line) ?? [];
    const failure = await runScript(command, environment, machine);
    if (failure !== undefined && !prefix.includes("-")) return failure;
  }
  return undefined;
}

async function environmentOf({ values }: Unit, machine: RunningMachine): Promise<Map<string, string>> {
  const texts = values("Service", "Environment").flatMap((value) => value.match(/"(?:\\.|[^"])*"|\S+/g) ?? []);
  for (const path of values("Service", "EnvironmentFile")) {
    const file = await machine.read(path.replace(/^-/, ""));
    if (file.type === "text") texts.push(...file.text.split("\n"));
  }
  const plain = texts.map((text) =>
    text
      .replace(/^"(.*)"$/s, "$1")
      .replaceAll("%%", "%")
      .replaceAll(/\\(.)/g, "$1"),
  );
  return new Map(
    plain
      .filter((text) => text.includes("="))
      .map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]),
  );
}

const done: CommandResult = { type: "exited", code: 0, stdout: "", stderr: "" };
