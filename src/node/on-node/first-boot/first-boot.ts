import { randomBytes } from "node:crypto";
import { type Clock, pause } from "../../../cluster/runtime/clock.ts";
import { firstBootPolicy, none } from "../../../domain/machine-config/cost/disruption-policy.ts";
import { readTokenFile, type TokenFile } from "../../../domain/rollout/first-boot/token-file.ts";
import { updateOf } from "../../../domain/rollout/node-annotations.ts";
import { type Host, type Outcome, unwritten } from "../../host/host.ts";
import { askAgain } from "../machine-config/attempts.ts";
import type { KeptConfig } from "../machine-config/config-store.ts";
import type { Applied, NodeUpdater } from "../machine-config/node-updater.ts";
import { mostFailures, phaseOf } from "../machine-config/update-phase.ts";
import type { FetchPayload } from "./fetch-payload.ts";

export interface FirstBootOptions {
  readonly host: Host;
  readonly updater: NodeUpdater;
  readonly fetch: FetchPayload;
  /** The file with the token. */
  readonly tokenPath: string;
  /** Name that the node will have, if it is known. */
  readonly node?: string | undefined;
  /** How long to wait for the operator. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

export type FirstBoot =
  /** The kubelet may start. */
  | { readonly type: "done"; readonly message: string }
  /** The machine restarts, and the next boot goes on. */
  | { readonly type: "rebooting"; readonly config: string }
  /** The kubelet must not start. */
  | { readonly type: "failed"; readonly reason: string };

/** Credentials of a kubelet that has joined a cluster: of kubeadm and the kubelet itself, OpenShift, and K3s. */
const credentials = [
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
  "/etc/kubernetes/kubelet.conf",
  "/var/lib/kubelet/kubeconfig",
  "/var/lib/rancher/k3s/agent/kubelet.kubeconfig",
];
type WithKey = TokenFile & { readonly key: string };

const firstPauseMs = 1000;
const longestPauseMs = 15_000;

/**
 * Brings the config of its pool to a machine before it is a node. Can be cut off at any moment: the next call goes on. What it
 * leaves is what an agent leaves after an update, so that the agent finds its node done.
 */
export async function firstBoot(options: FirstBootOptions): Promise<FirstBoot> {
  const { host, updater } = options;
  const { current, pending } = await updater.configs();
  if (current) return finished(options, `the machine has its config already: ${current.name}`);
  const isUnfinished = pending && pending.stage !== "rolled back" && pending.failures < mostFailures;
  if (isUnfinished) return apply(options, pending);
  if (!pending && (await hasJoined(host))) return done("the machine is a node already: its agent brings its config");
  const file = await tokenFile(options);
  if (typeof file === "string") return failed(file);
  const fetched = await fetchWithin(options, file);
  if (fetched.type === "refused" || fetched.type === "later")
    return failed(`get the config of ${file.node}: ${fetched.why}`);
  if (fetched.type === "nothing") return finished(options, `pool ${file.pool} has no config: nothing to do`);
  return apply(options, fetched.config);
}

async function apply(options: FirstBootOptions, config: KeptConfig): Promise<FirstBoot> {
  const { updater, print } = options;
  const update = { ...updateOf({}), desired: config.name };
  for (;;) {
    const configs = await updater.configs();
    const phase = phaseOf({ update, ...configs });
    let applied: Applied | undefined;
    if (phase === "settled") return finished(options, `the machine has ${config.name}`);
    if (phase === "given up") return failed(configs.pending?.reason ?? "");
    if (phase === "verify") applied = await updater.verify(configs.pending!);
    else if (phase === "boot") {
      const pending = configs.pending!;
      const why = await updater.reboot(pending, askAgain(pending.asked, options.clock.now()));
      return why === undefined ? { type: "rebooting", config: config.name } : failed(`restart the machine: ${why}`);
    } else applied = await begin(updater, config, configs.pending === undefined);
    if (applied.type === "refused") return failed(applied.reason);
    for (const finding of applied.findings) print(`note: ${finding}`);
  }
}

async function begin(updater: NodeUpdater, config: KeptConfig, isFirst: boolean): Promise<Applied> {
  const planned = await updater.plan(config, firstBootPolicy);
  if (planned.type === "refused") return planned;
  // An image may have it all. After a crash that says nothing: what was written may still need the boot.
  const isThere = isFirst && (await updater.deviations(planned)).problems.length === 0;
  const boots = planned.cost.level === "reboot" && !isThere;
  // The kubelet and what starts with it wait for this program: to restart them from here would never end.
  const cost = boots ? planned.cost : { level: "nothing" as const, drain: false, actions: [none], because: [] };
  return updater.apply({ ...planned, cost, renewsKubelet: false });
}

async function fetchWithin(
  { fetch, signal, clock, timeoutMs, print }: FirstBootOptions,
  file: WithKey,
): Promise<Awaited<ReturnType<FetchPayload>>> {
  const end = clock.monotonic() + timeoutMs;
  let said = "";
  for (let waitMs = firstPauseMs; ; waitMs = Math.min(2 * waitMs, longestPauseMs)) {
    const fetched = await fetch(file, file.key, signal);
    const isOver = signal.aborted || clock.monotonic() + waitMs > end;
    if (fetched.type !== "later" || isOver) return fetched;
    if (fetched.why !== said) print(`waiting: ${fetched.why}`);
    said = fetched.why;
    await pause(clock, waitMs, signal);
  }
}

/** With a key. A text says why there is none. */
async function tokenFile({ host, tokenPath, node }: FirstBootOptions): Promise<WithKey | string> {
  const found = await host.read(tokenPath);
  if (found.type === "failed") return `read the token: ${found.message}`;
  if (found.type === "missing") return `read the token: ${tokenPath} does not exist; attune node-token issues one`;
  const file = readTokenFile(found.text);
  if (typeof file === "string") return `read the token: ${tokenPath}: ${file}`;
  if (node !== undefined && node !== file.node)
    return `the token is for node ${file.node}, and this machine is ${node}`;
  if (file.key) return { ...file, key: file.key };
  const made = { ...file, key: randomBytes(32).toString("hex") };
  check(await host.replace(tokenPath, `${JSON.stringify(made)}\n`, 0o600), tokenPath);
  return made;
}

async function hasJoined(host: Host): Promise<boolean> {
  for (const path of credentials) if ((await host.stat(path)).type !== "missing") return true;
  return false;
}

/** The token is of no use any more, and the unit that runs this starts only while its file is there. */
async function finished({ host, updater, tokenPath }: FirstBootOptions, message: string): Promise<FirstBoot> {
  if ((await updater.configs()).pending) await updater.forgetPending();
  check(await host.remove(tokenPath), tokenPath);
  return done(message);
}

function check(outcome: Outcome, what: string): void {
  if (outcome.type === "failed") throw new Error(unwritten(what, outcome));
}

const done = (message: string): FirstBoot => ({ type: "done", message });
const failed = (reason: string): FirstBoot => ({ type: "failed", reason });
