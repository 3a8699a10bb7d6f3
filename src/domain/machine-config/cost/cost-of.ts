import { plainPath } from "../kubelet-config/kubelet-files.ts";
import { renewsState } from "../plain-hosts/kubelet-change.ts";
import type { Changes, FileChange } from "./changes.ts";
import { type DisruptionPolicy, none, type PolicyAction, reboot, registriesPath } from "./disruption-policy.ts";
import { isSafeRegistriesChange } from "./registries-change.ts";

const levels = ["nothing", "reload", "restart", "drain", "reboot"] as const;
export type Level = (typeof levels)[number];

/** The smallest action that brings a change into force. */
export interface Cost {
  readonly level: Level;
  readonly drain: boolean;
  /** In order, repeats included; `None` alone where nothing is to do. */
  readonly actions: readonly PolicyAction[];
  /** What makes a reboot or a drain necessary: objects and paths. */
  readonly because: readonly string[];
}

export type CostOf = ({ readonly type: "cost" } & Cost) | { readonly type: "problem"; readonly message: string };

export function isHigher(a: Cost, b: Cost): boolean {
  return levels.indexOf(a.level) > levels.indexOf(b.level);
}

/** What a change costs a node, by the policy. */
export function costOf(changes: Changes, policy: DisruptionPolicy): CostOf {
  const found = actionsOf(changes, policy);
  const because = found.filter(({ action }) => disturbs(action)).map(({ what }) => what);
  if (found.some(({ action }) => action.type === "Reboot"))
    return { type: "cost", level: "reboot", drain: true, actions: [reboot], because };
  const actions = found.map(({ action }) => action).filter(({ type }) => type !== "None");
  const registries = drainsForRegistries(changes.files, actions);
  if (registries.type === "problem") return registries;
  const drain = registries.drain || actions.some(({ type }) => type === "Drain");
  return {
    type: "cost",
    level: drain ? "drain" : levelOf(actions),
    drain,
    actions: actions.length === 0 ? [none] : actions,
    because: registries.drain ? [...because, registriesPath] : because,
  };
}

interface Found {
  readonly what: string;
  readonly action: PolicyAction;
}

function actionsOf(changes: Changes, policy: DisruptionPolicy): Found[] {
  const always: [string, boolean][] = [
    ["the OS image", changes.osImage],
    ["boot arguments", changes.kernelArguments],
    ["FIPS", changes.fips],
    ["the kernel type", changes.kernelType],
    ["extensions", changes.extensions],
  ];
  const of = (what: string, actions: readonly PolicyAction[] = [reboot]): Found[] =>
    actions.map((action) => ({ what, action }));
  const paths = [...changes.directories, ...changes.links];
  return [
    ...always.filter(([, changed]) => changed).flatMap(([what]) => of(what)),
    ...changes.files.flatMap((file) => of(file.path, policyOfPath(file.path, policy) ?? kubeletActions(file))),
    ...paths.flatMap((path) => of(path, policyOfPath(path, policy))),
    ...changes.units.flatMap((name) => of(name, policy.units.find((unit) => unit.name === name)?.actions)),
    ...(changes.users.length > 0 ? of(`keys of ${changes.users.join(", ")}`, policy.sshKey) : []),
  ];
}

/** Of the longest path that is the file's own or a folder above it. The root counts for nothing: it would silence every change. */
function policyOfPath(path: string, { files }: DisruptionPolicy): readonly PolicyAction[] | undefined {
  return files
    .filter((one) => path === one.path || (one.path !== "/" && path.startsWith(`${one.path.replace(/\/+$/, "")}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0]?.actions;
}

/** The configuration of a plain host's kubelet: pods leave only if CPUs and memory are allocated anew. */
function kubeletActions({ path, before, after }: FileChange): readonly PolicyAction[] | undefined {
  if (path !== plainPath) return undefined;
  const restart: PolicyAction = { type: "Restart", service: "kubelet.service" };
  return renewsState(before, after) ? [{ type: "Drain" }, restart] : [restart];
}

function disturbs({ type }: PolicyAction): boolean {
  return type === "Reboot" || type === "Drain";
}

function levelOf(actions: readonly PolicyAction[]): Level {
  if (actions.some(({ type }) => type === "Restart")) return "restart";
  return actions.length > 0 ? "reload" : "nothing";
}

function drainsForRegistries(
  files: readonly FileChange[],
  actions: readonly PolicyAction[],
): { type: "drain"; drain: boolean } | { type: "problem"; message: string } {
  const change = files.find(({ path }) => path === registriesPath);
  if (!change || !actions.some(({ type }) => type === "Special")) return { type: "drain", drain: false };
  const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes ?? new Uint8Array());
  const safe = isSafeRegistriesChange(text(change.before?.bytes), text(change.after?.bytes));
  return safe.type === "problem"
    ? { type: "problem", message: `${registriesPath}: ${safe.message}` }
    : { type: "drain", drain: !safe.safe };
}
