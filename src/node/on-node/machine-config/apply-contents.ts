import type { SettingReport } from "../../engine/engine.ts";
import { enforce } from "../../engine/enforce.ts";
import { loadJournal, readLedger, saveJournal } from "../../engine/journal.ts";
import { putBack } from "../../engine/put-back.ts";
import type { Host } from "../../host/host.ts";
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
  const { settings, restored } = await enforce({ host: wanted.host, owner, plan: () => planContents(wanted) });
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
export async function verifyContents(wanted: PlanContents): Promise<Deviations> {
  const ledger = await readLedger(wanted.host);
  const problems: string[] = [];
  const findings: string[] = [];
  for (const step of await planContents(wanted)) {
    if (step.type === "same") continue;
    if (step.type === "skipped") findings.push(step.message);
    else if (step.type === "impossible") problems.push(`${step.option}: ${step.message}`);
    else {
      const by = ledger.find(step.target)?.claims.at(-1)?.owner ?? owner;
      if (by === owner) problems.push(`${step.option}: is ${step.before}, expected ${step.value}`);
      else findings.push(`${step.target} is set by ${by}`);
    }
  }
  return { problems, findings };
}

/** Restores all originals, as when the agent is removed. */
export async function releaseContents(host: Host): Promise<readonly string[]> {
  const journal = await loadJournal(host);
  const restored = await putBack({ ledger: journal.ledger, host, owner, which: () => true });
  await saveJournal(host, journal);
  return restored.flatMap(({ target, failed }) => (failed === undefined ? [] : [`${target}: ${failed}`]));
}
