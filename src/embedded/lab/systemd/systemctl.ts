import type { CommandResult } from "../../../node/host/host.ts";
import type { RunningMachine } from "../running-machine.ts";
import {
  enablingLinks,
  findUnit,
  type FoundUnit,
  ownUnits,
  type Unit,
  unitName,
} from "../../../node/host/unit-files.ts";
import { isPreset } from "./presets.ts";
import { isActive, startUnit, stopUnit, unitState } from "./run-units.ts";

type Verb = (name: string, machine: RunningMachine, found: FoundUnit) => Promise<CommandResult>;

/** `systemctl`: what units are comes from their files, whether they run from `/run/lab/services`. */
export async function systemctl(args: readonly string[], machine: RunningMachine): Promise<CommandResult> {
  const [verb = "", ...names] = args.filter((arg) => !arg.startsWith("-"));
  if (verb === "reboot") {
    machine.requestReboot();
    return exited(0);
  }
  if (names.length === 0) return verbsAlone.get(verb) ?? refused(1, `Unknown command verb ${verb}.`);
  const act = verbs.get(verb);
  if (!act) return refused(1, `Unknown command verb ${verb}.`);
  let result = exited(0);
  for (const given of names) {
    const name = unitName(given);
    const one = await act(name, machine, await findUnit(machine, name));
    result = joined(result, one);
    if (args.includes("--now") && one.type === "exited" && one.code === 0)
      result = joined(result, await (verb === "enable" ? start : stop)(name, machine, await findUnit(machine, name)));
  }
  return result;
}

/** systemd-run: only the program that it starts counts here. */
export async function systemdRun(args: readonly string[], machine: RunningMachine): Promise<CommandResult> {
  // A timer is accepted, and never elapses.
  if (args.some((arg) => arg.startsWith("--on-"))) return exited(0);
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  return at < 0 ? refused(1, "Command line to execute required.") : machine.run(args.slice(at));
}

const verbsAlone = new Map<string, CommandResult>([
  ...["status", "daemon-reload", "daemon-reexec", "list-units"].map((verb) => [verb, exited(0)] as const),
  ["is-system-running", exited(0, "running\n")],
]);

const start: Verb = async (name, machine, found) => {
  if (found.type !== "unit") return absent("start", name, found);
  return startUnit(found.unit, machine);
};

const stop: Verb = async (name, machine, found) => {
  if (found.type === "missing") return absent("stop", name, found);
  return stopUnit(name, machine);
};

const reload: Verb = async (name, machine, found) => {
  if (found.type !== "unit") return absent("reload", name, found);
  if (!(await isActive(name, machine))) return refused(1, `${name} is not active, cannot reload.`);
  return exited(0);
};

const onlyActive =
  (verb: Verb): Verb =>
  async (name, machine, found) =>
    (await isActive(name, machine)) ? verb(name, machine, found) : exited(0);

const enable: Verb = async (name, machine, found) => {
  if (found.type === "missing") return refused(1, `Failed to enable unit: Unit file ${name} does not exist.`);
  if (found.type === "masked") return refused(1, `Failed to enable unit: Unit file ${ownUnits}/${name} is masked.`);
  for (const link of enablingLinks(found.unit)) await machine.placeLink(link, { target: found.unit.path });
  return exited(0);
};

const disable: Verb = async (name, machine, found) => {
  if (found.type === "missing") return refused(1, `Failed to disable unit: Unit file ${name} does not exist.`);
  for (const folder of await machine.list(ownUnits))
    if (/\.(?:wants|requires)$/.test(folder)) await machine.remove(`${ownUnits}/${folder}/${name}`);
  return exited(0);
};

const verbs = new Map<string, Verb>([
  ["start", start],
  ["restart", start],
  ["try-restart", onlyActive(start)],
  ["reload-or-restart", start],
  ["stop", stop],
  ["reload", reload],
  ["try-reload-or-restart", onlyActive(reload)],
  ["enable", enable],
  ["disable", disable],
  ["reenable", enable],
  [
    "preset",
    async (name, machine, found) => {
      const verb = (await isPreset(machine, name)) ? enable : disable;
      return verb(name, machine, found);
    },
  ],
  [
    "mask",
    async (name, machine) => {
      const path = `${ownUnits}/${name}`;
      if ((await machine.read(path)).type === "text" && (await machine.real(path)) !== "/dev/null")
        return refused(1, `Failed to mask unit: File ${path} already exists.`);
      await machine.placeLink(path, { target: "/dev/null" });
      return exited(0);
    },
  ],
  [
    "unmask",
    async (name, machine, found) => {
      if (found.type === "masked") await machine.remove(`${ownUnits}/${name}`);
      return exited(0);
    },
  ],
  [
    "is-active",
    async (name, machine) => ((await isActive(name, machine)) ? exited(0, "active\n") : exited(3, "inactive\n")),
  ],
  [
    "is-failed",
    async (name, machine) =>
      (await unitState(name, machine)) === "failed" ? exited(0, "failed\n") : exited(1, "inactive\n"),
  ],
  [
    "is-enabled",
    async (_, machine, found) => {
      if (found.type === "missing") return exited(4, "not-found\n");
      if (found.type === "masked") return exited(1, "masked\n");
      const links = enablingLinks(found.unit);
      if (links.length === 0) return exited(0, "static\n");
      return (await hasLink(found.unit, machine)) ? exited(0, "enabled\n") : exited(1, "disabled\n");
    },
  ],
]);

async function hasLink(unit: Unit, machine: RunningMachine): Promise<boolean> {
  for (const link of enablingLinks(unit)) if ((await machine.read(link)).type === "text") return true;
  return false;
}

function absent(verb: string, name: string, found: FoundUnit): CommandResult {
  return found.type === "masked"
    ? refused(1, `Failed to ${verb} ${name}: Unit ${name} is masked.`)
    : refused(5, `Failed to ${verb} ${name}: Unit ${name} not found.`);
}

function joined(a: CommandResult, b: CommandResult): CommandResult {
  if (a.type !== "exited" || b.type !== "exited") return a.type === "exited" ? b : a;
  return { type: "exited", code: a.code || b.code, stdout: a.stdout + b.stdout, stderr: a.stderr + b.stderr };
}

function refused(code: number, why: string): CommandResult {
  return { type: "exited", code, stdout: "", stderr: `${why}\n` };
}

function exited(code: number, stdout = ""): CommandResult {
  return { type: "exited", code, stdout, stderr: "" };
}
