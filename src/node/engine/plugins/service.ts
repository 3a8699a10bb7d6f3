import { hashOf } from "../../../language/object/hash.ts";
import type { Setting } from "../../../language/tuned/unit.ts";
import type { Action, FileAction } from "../action.ts";
import { isBelow } from "../../../language/tuned/chain/path.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import type { CommandResult } from "../../host/host.ts";
import { systemctl, systemctlTimeoutMs } from "./systemctl.ts";
import { textAfter } from "../text-after.ts";
import { unknownOption } from "./steps.ts";

/** `[service]`: starts, stops, enables and disables services of systemd, and adds drop-in files. */
export const service: Plugin = {
  type: "service",
  async plan(unit, observe) {
    const steps: Step[] = [];
    const services: ServiceSetting[] = [];
    for (const [option, setting] of unit.options)
      if (option.startsWith("service.")) services.push(parseServiceSetting(option, setting));
      else steps.push(unknownOption("service", option, setting));
    if (services.length === 0) return steps;
    const status = await observe.host.run(["systemctl", "status"], { timeoutMs: systemctlTimeoutMs });
    const systemd = status.type === "exited" && status.code === 0;
    for (const service of services) {
      const about = { option: service.option, from: service.from };
      for (const word of service.unknown)
        steps.push({
          ...about,
          type: "impossible",
          message: `${JSON.stringify(word)} is none of start, stop, enable, disable, file:`,
          verified: false,
        });
      if (!systemd) steps.push({ ...about, type: "impossible", message: "cannot reach systemd on this node" });
      else if (!/^[A-Za-z0-9_:@\\][A-Za-z0-9_:@.\\-]*$/.test(service.name))
        steps.push({ ...about, type: "impossible", message: "is not the name of a service" });
      else steps.push(...(await planService(service, observe)));
    }
    return steps;
  },
};

async function planService(service: ServiceSetting, observe: Observe): Promise<Step[]> {
  const { name, option, from } = service;
  const about = { option, from, device: name };
  const state = await observe.host.run(["systemctl", "is-enabled", name], { timeoutMs: systemctlTimeoutMs });
  const wasEnabled = enabledOf(state.type === "exited" ? state.stdout.trim() : "");
  const active = await observe.host.run(["systemctl", "is-active", name], { timeoutMs: systemctlTimeoutMs });
  const wasRunning = active.type === "exited" && active.code === 0;

  const steps: Step[] = service.overlay === undefined ? [] : [await planOverlay(service.overlay, service, observe)];
  const asked = [service.running, service.enabled];
  if (!wasRunning && isMissing(state) && asked.includes(false) && !asked.includes(true))
    return [...steps, { ...about, type: "skipped", level: "info", message: `the node has no unit ${name} to stop` }];
  if (service.running !== undefined)
    steps.push({
      ...about,
      type: wasRunning === service.running ? "same" : "change",
      target: `service ${name} running`,
      before: wasRunning ? "running" : "stopped",
      value: service.running ? "running" : "stopped",
      // A running service is restarted once: it may not have read its settings yet.
      always: observe.purpose === "apply" && applied(observe, `service ${name} running`) === undefined,
      actions: [systemctl(service.running ? "restart" : "stop", name)],
      undo: [systemctl(wasRunning ? "restart" : "stop", name)],
    });
  if (service.enabled !== undefined)
    steps.push({
      ...about,
      type: wasEnabled === service.enabled ? "same" : "change",
      target: `service ${name} enabled`,
      before: wasEnabled === undefined ? "unknown" : wasEnabled ? "enabled" : "disabled",
      value: service.enabled ? "enabled" : "disabled",
      always: observe.purpose === "apply" && applied(observe, `service ${name} enabled`) === undefined,
      actions: [systemctl(service.enabled ? "enable" : "disable", name)],
      undo: wasEnabled === undefined ? [] : [systemctl(wasEnabled ? "enable" : "disable", name)],
      lasts: "persistent",
    });
  return steps;
}

function applied(observe: Observe, target: string): string | undefined {
  return observe.applied?.(target);
}

/** `undefined` for other states (static, masked, …), which cannot be restored. */
function enabledOf(state: string): boolean | undefined {
  return state === "enabled" ? true : state === "disabled" ? false : undefined;
}

/** systemd 253 and later print `not-found`; earlier ones print nothing, and exit with 1. */
function isMissing(state: CommandResult): boolean {
  return state.type === "exited" && state.code !== 0 && ["", "not-found"].includes(state.stdout.trim());
}

async function planOverlay(source: string, { name, option, from }: ServiceSetting, observe: Observe): Promise<Step> {
  const about = { option, from, device: name };
  const real = source.startsWith("/") ? await observe.host.real(source) : source;
  if (!isBelow(real, observe.profileDirectories))
    return { ...about, type: "impossible", message: `${source} is not in a directory of profiles` };
  const file = await observe.host.read(source);
  if (file.type !== "text") return { ...about, type: "impossible", message: `there is no ${source}` };
  const path = `/etc/systemd/system/${name}.service.d/${source.slice(source.lastIndexOf("/") + 1)}`;
  const present = await observe.host.read(path);
  const before = present.type === "text" ? present.text : null;
  const folder = `${name}.service.d`;
  const isOurs = !(await observe.host.list("/etc/systemd/system")).includes(folder);
  const prune: Action[] = isOurs ? [{ type: "prune", path: `/etc/systemd/system/${folder}` }] : [];
  const reload = systemctl("daemon-reload");
  // Another text needs another undo, so it is another target.
  const target = `drop-in ${path} ${hashOf(file.text).slice(0, 8)}`;
  // Where Attune wrote the file already, that takes the place of the original, not of what the file has now.
  const instead = observe.original(target) ?? before;
  const edit: FileAction = { type: "edit", path, edit: { kind: "overlay", text: file.text, instead } };
  return {
    ...about,
    type: textAfter(edit, before ?? undefined) === before ? "same" : "change",
    target,
    before: before ?? "",
    value: file.text,
    actions: [edit, reload],
    undo: [{ type: "edit", path, edit: { kind: "overlay", text: before, instead: file.text } }, ...prune, reload],
    lasts: "persistent",
  };
}

/** The settings of one service. */
export interface ServiceSetting {
  readonly name: string;
  readonly option: string;
  readonly from: string;
  readonly running: boolean | undefined;
  readonly enabled: boolean | undefined;
  /** A drop-in file for the unit. */
  readonly overlay: string | undefined;
  /** Words that TuneD does not know. */
  readonly unknown: readonly string[];
}

/** `start, enable; file:/etc/x.conf`: of two that contradict, the later one counts. */
function parseServiceSetting(option: string, { value, from }: Setting): ServiceSetting {
  let running: boolean | undefined;
  let enabled: boolean | undefined;
  let overlay: string | undefined;
  const unknown: string[] = [];
  for (const word of value.split(/[,;]/).map((one) => one.trim())) {
    if (word === "start" || word === "stop") running = word === "start";
    else if (word === "enable" || word === "disable") enabled = word === "enable";
    else if (word.startsWith("file:")) overlay = word.slice("file:".length).trim();
    else unknown.push(word);
  }
  return { name: option.slice("service.".length), option, from, running, enabled, overlay, unknown };
}
