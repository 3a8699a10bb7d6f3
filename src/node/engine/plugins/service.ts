import type { Setting } from "../../../language/tuned/unit.ts";
import type { Action } from "../action.ts";
import { isBelow } from "../../../language/tuned/chain/path.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import { unknownOption } from "./steps.ts";

/** `[service]`: services of systemd, started, stopped, enabled, disabled, and given settings. */
export const service: Plugin = {
  type: "service",
  async plan(unit, observe) {
    const steps: Step[] = [];
    const wishes: ServiceWish[] = [];
    for (const [option, setting] of unit.options)
      if (option.startsWith("service.")) wishes.push(parseServiceWish(option, setting));
      else steps.push(unknownOption("service", option, setting));
    if (wishes.length === 0) return steps;
    const status = await observe.host.run(["systemctl", "status"]);
    const systemd = status.type === "exited" && status.code === 0;
    for (const wish of wishes) {
      const about = { option: wish.option, from: wish.from };
      for (const word of wish.unknown)
        steps.push({
          ...about,
          type: "impossible",
          message: `${JSON.stringify(word)} is nothing to do with a service`,
          verified: false,
        });
      if (!systemd) steps.push({ ...about, type: "impossible", message: "systemd of this node cannot be reached" });
      else if (!/^[A-Za-z0-9_:@\\][A-Za-z0-9_:@.\\-]*$/.test(wish.name))
        steps.push({ ...about, type: "impossible", message: "is not the name of a service" });
      else steps.push(...(await planService(wish, observe)));
    }
    return steps;
  },
};

async function planService(wish: ServiceWish, observe: Observe): Promise<Step[]> {
  const { name, option, from } = wish;
  const about = { option, from, device: name };
  const wasEnabled = enabledOf(await says(observe, "is-enabled", name));
  const active = await observe.host.run(["systemctl", "is-active", name]);
  const wasRunning = active.type === "exited" && active.code === 0;
  const systemctl = (verb: string): Action => ({ type: "run", argv: ["systemctl", verb, name], timeoutMs: 90_000 });

  const steps: Step[] = wish.overlay === undefined ? [] : [await planOverlay(wish.overlay, wish, observe)];
  if (wish.running !== undefined)
    steps.push({
      ...about,
      type: wasRunning === wish.running ? "same" : "change",
      target: `service ${name} running`,
      before: wasRunning ? "running" : "stopped",
      value: wish.running ? "running" : "stopped",
      // A service that runs is started anew: it may have settings that it has not read yet.
      always: observe.purpose === "apply" && applied(observe, `service ${name} running`) === undefined,
      actions: [systemctl(wish.running ? "restart" : "stop")],
      undo: [systemctl(wasRunning ? "restart" : "stop")],
    });
  if (wish.enabled !== undefined)
    steps.push({
      ...about,
      type: wasEnabled === wish.enabled ? "same" : "change",
      target: `service ${name} enabled`,
      before: wasEnabled === undefined ? "unknown" : wasEnabled ? "enabled" : "disabled",
      value: wish.enabled ? "enabled" : "disabled",
      always: observe.purpose === "apply" && applied(observe, `service ${name} enabled`) === undefined,
      actions: [systemctl(wish.enabled ? "enable" : "disable")],
      undo: wasEnabled === undefined ? [] : [systemctl(wasEnabled ? "enable" : "disable")],
      lasts: "persistent",
    });
  return steps;
}

function applied(observe: Observe, target: string): string | undefined {
  return observe.applied?.(target);
}

/** Other states (static, masked, …) are nobody's to change. */
function enabledOf(state: string): boolean | undefined {
  return state === "enabled" ? true : state === "disabled" ? false : undefined;
}

async function says({ host }: Observe, verb: string, name: string): Promise<string> {
  const result = await host.run(["systemctl", verb, name]);
  return result.type === "exited" ? result.stdout.trim() : "";
}

async function planOverlay(source: string, { name, option, from }: ServiceWish, observe: Observe): Promise<Step> {
  const about = { option, from, device: name };
  const real = source.startsWith("/") ? await observe.host.real(source) : source;
  if (!isBelow(real, observe.profileDirectories))
    return { ...about, type: "impossible", message: `${source} is not in a directory of profiles` };
  const file = await observe.host.read(source);
  if (file.type !== "text") return { ...about, type: "impossible", message: `there is no ${source}` };
  const path = `/etc/systemd/system/${name}.service.d/${source.slice(source.lastIndexOf("/") + 1)}`;
  const present = await observe.host.read(path);
  const before = present.type === "text" ? present.text : null;
  const reload: Action = { type: "run", argv: ["systemctl", "daemon-reload"], timeoutMs: 90_000 };
  return {
    ...about,
    type: before === file.text ? "same" : "change",
    target: path,
    before: before ?? "",
    value: file.text,
    actions: [{ type: "file", path, text: file.text }, reload],
    undo: [{ type: "file", path, text: before }, reload],
    lasts: "persistent",
  };
}

/** What a profile asks of one service. */
export interface ServiceWish {
  readonly name: string;
  readonly option: string;
  readonly from: string;
  readonly running: boolean | undefined;
  readonly enabled: boolean | undefined;
  /** A file of settings for the unit, laid over it. */
  readonly overlay: string | undefined;
  /** Words that mean nothing. */
  readonly unknown: readonly string[];
}

/** `start, enable; file:/etc/x.conf`: of two that contradict, the later counts. */
export function parseServiceWish(option: string, { value, from }: Setting): ServiceWish {
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
