import { judge } from "../node-tuning/judge.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import type { AnswersOf } from "../node-tuning/known-nodes.ts";
import { bootChanges } from "./boot-changes.ts";
import type { ChangePlan } from "./change-plan.ts";
import { tuningFindings } from "./findings.ts";
import { nodeChanges } from "./node-changes.ts";
import { resolver, settle, type Settled } from "./settle.ts";

export interface TuningPreviewInput {
  readonly before: NodeTuningInput;
  readonly after: NodeTuningInput;
  /** Names of the Tuneds that are written, whether the write changes them or not. */
  readonly written: readonly string[];
  /** What nodes would answer: now, and once the change has reached them. Default: nothing is known. */
  readonly answers?: { readonly before: AnswersOf; readonly after: AnswersOf } | undefined;
}

export interface TuningPreview extends Pick<ChangePlan, "nodes" | "changes" | "boot" | "findings"> {
  readonly settled: { readonly before: Settled; readonly after: Settled };
}

/** What a change of Tuneds, nodes or pools does once the operator and the agents have acted on it. Asks no node. */
export function previewTuning({ before, after, written, answers }: TuningPreviewInput): TuningPreview {
  const onHosts = new Map(before.profiles.map(({ metadata, status }) => [metadata.name, status?.hostProfiles]));
  const onHost = (node: string): readonly string[] => onHosts.get(node) ?? [];
  const resolveBefore = resolver(answers?.before, onHost);
  const resolve = { before: resolveBefore, after: answers ? resolver(answers.after, onHost) : resolveBefore };
  const settled = { before: settle(before, resolve.before), after: settle(after, resolve.after) };
  const judgement = { before: judge(before), after: judge(after) };
  const changes = nodeChanges(settled.before, settled.after, resolve);
  return {
    settled,
    nodes: judgement.after.chosen.length,
    changes,
    boot: bootChanges(settled.before, settled.after, {
      pools: after.pools ?? [],
      machineConfigs: before.machineConfigs ?? [],
    }),
    findings: tuningFindings({ tuneds: after.tuneds, written, settled, judgement, changes }),
  };
}
