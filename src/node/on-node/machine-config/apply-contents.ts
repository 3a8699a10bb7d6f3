import { splitArguments } from "../../../language/tuned/boot-arguments.ts";
import type { SettingReport } from "../../engine/engine.ts";
import { enforce } from "../../engine/enforce.ts";
import { loadJournal, onLedger, readLedger, saveJournal } from "../../engine/journal.ts";
import { putBack } from "../../engine/put-back.ts";
import type { Host } from "../../host/host.ts";
import { bootTarget, commandLine, comparedWithKernel, followKernels } from "./boot/plan-boot.ts";
import { isRenewed } from "./certificates.ts";
import { followEdits } from "./kubelet/follow-edits.ts";
import { machineConfigOwner as owner } from "./place-step.ts";
import { type PlanContents, planContents } from "./plan-contents.ts";

/** What did not become as the config wants it. */
export interface Deviations {
  /** Each names its place in the config, or the path. */
  readonly problems: readonly string[];
  /** Left as they are, for a reason that is no failure. */
  readonly findings: readonly string[];
}

/**
 * Makes the node as the contents say, and restores the originals of what an earlier config had changed. Can be repeated after
 * a crash at any moment. Every original is on disk before the first change.
 */
export async function applyContents(wanted: PlanContents): Promise<Deviations> {
  const { settings, restored } = await enforce({
    host: wanted.host,
    owner,
    plan: (ledger) => planContents(wanted, ledger),
  });
  const failed = restored.flatMap((one) => (one.failed === undefined ? [] : [`restore ${one.target}: ${one.failed}`]));
  return {
    problems: [
      ...failed,
      ...settings.flatMap((one) => (one.type === "failed" ? [`${one.option}: ${one.message}`] : [])),
    ],
    findings: settings.flatMap(findingOf),
  };
}

function findingOf(one: SettingReport): string[] {
  if (one.type === "skipped") return [one.message];
  return one.type === "overridden" ? [`${one.target} is set by ${one.by.unit}`] : [];
}

/** Compares everything that was applied. What another owner of the ledger has set since is its business. */
export async function verifyContents(
  wanted: PlanContents,
  earlier: EarlierArguments = noneEarlier,
): Promise<Deviations> {
  const ledger = await readLedger(wanted.host);
  const problems: string[] = [];
  const findings: string[] = [];
  for (const step of await planContents(wanted, ledger)) {
    if (step.type === "same" || (step.type === "change" && isRenewed(step.target))) continue;
    if (step.type === "skipped") findings.push(step.message);
    else if (step.type === "impossible") problems.push(`${step.option}: ${step.message}`);
    else {
      const by = ledger.find(step.target)?.claims.at(-1)?.owner ?? owner;
      if (by === owner) problems.push(`${step.option}: is ${step.before}, expected ${step.value}`);
      else findings.push(`${step.target} is set by ${by}`);
    }
  }
  problems.push(...(await bootProblems(wanted, earlier)));
  return { problems, findings };
}

/** Boot arguments before an update: those of the config that was current, and those that the node had before any config. */
export interface EarlierArguments {
  readonly before: readonly string[];
  readonly base: readonly string[];
}

const noneEarlier: EarlierArguments = { before: [], base: [] };

async function bootProblems({ contents, host }: PlanContents, earlier: EarlierArguments): Promise<string[]> {
  const { kernelArguments: wanted } = contents;
  if (wanted.length === 0 && earlier.before.length === 0) return [];
  const { missing, left } = comparedWithKernel(await commandLine(host), { wanted, ...earlier });
  return [
    ...(missing.length > 0 ? [`kernelArguments: /proc/cmdline lacks ${missing.join(" ")}`] : []),
    ...(left.length > 0 ? [`kernelArguments: /proc/cmdline still has ${left.join(" ")}`] : []),
  ];
}

/** Boot arguments that the node had before any config. */
export async function baseArguments(host: Host): Promise<string[]> {
  const entry = (await readLedger(host)).find(bootTarget);
  return splitArguments(entry ? entry.before : await commandLine(host));
}

/** Restores all originals, as when the agent is removed. */
export function releaseContents(host: Host): Promise<readonly string[]> {
  return onLedger(host, () => releaseNow(host));
}

async function releaseNow(host: Host): Promise<readonly string[]> {
  const journal = await loadJournal(host);
  await followEdits(journal.ledger, host);
  await followKernels(journal.ledger, host);
  const restored = await putBack({ ledger: journal.ledger, host, owner, which: () => true });
  await saveJournal(host, journal);
  return restored.flatMap(({ target, failed }) => (failed === undefined ? [] : [`${target}: ${failed}`]));
}
