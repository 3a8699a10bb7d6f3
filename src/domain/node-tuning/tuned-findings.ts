import { isSafeName } from "../../language/tuned/chain/include.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import type { Finding } from "../finding.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import type { Tuned } from "./api.ts";
import { defaultTunedName } from "./default-tuned.ts";
import { labelsText, Pools } from "../machine-config/pools.ts";
import { fileOf, ProfileTexts } from "./profile-texts.ts";
import { type Rule, rulesByTuned, rulesOf } from "./rule.ts";

/** What a Tuned is judged by. */
export interface TunedSurroundings {
  /** Of all Tuneds that are known, the judged one among them. */
  readonly texts: ProfileTexts;
  /** The rules of a Tuned, in the order of its list. */
  readonly rulesOf: (tuned: string) => readonly Rule[];
  /** The namespace of the Tuneds that the operator reads. */
  readonly namespace: string;
  /** Undefined while they are unknown. */
  readonly pools?: Pools | undefined;
}

/**
 * What is wrong with a Tuned or hardly meant: the one list behind its condition Valid, the event, the warnings on apply and
 * the findings of a plan. `error`: something in it has no effect. `warning`: it may be a mistake.
 */
export function tunedFindings(tuned: Tuned, around: TunedSurroundings): Finding[] {
  const name = tuned.metadata.name ?? "";
  const input = { ...around, tuned, rules: around.rulesOf(name) };
  // Most decisions follow the report of a node: thousands of texts have not changed.
  const ofTexts = around.texts.once(`findings of Tuned ${name}`, () => checks.flatMap((check) => check(input)));
  return [...outsideNamespace(input), ...ofTexts, ...labelsOfNoPool(input)];
}

/**
 * The same for a Tuned that is being written. Manifests are applied in any order, so a profile that does not exist yet is
 * found here too, and the status tells what became of it. `cluster`: undefined while it is unknown.
 */
export function findingsOnWrite(tuned: Tuned, cluster: KnownTuneds | undefined, namespace: string): Finding[] {
  const { tuneds = [], onHosts = [], pools } = cluster ?? {};
  const all = [...tuneds.filter(({ metadata }) => metadata.name !== tuned.metadata.name), tuned];
  const texts = new ProfileTexts(all, cluster ? "all" : "some", onHosts);
  return tunedFindings(tuned, {
    texts,
    rulesOf: rulesByTuned(rulesOf([tuned], texts)),
    namespace,
    pools: pools && new Pools(pools),
  });
}

export interface KnownTuneds {
  readonly tuneds: readonly Tuned[];
  /** Names of profiles that nodes have in their own folders. */
  readonly onHosts: readonly string[];
  /** Undefined while they are unknown; empty if the cluster has no such kind. */
  readonly pools?: readonly MachineConfigPool[] | undefined;
}

type FindingsInput = TunedSurroundings & { readonly tuned: Tuned; readonly rules: readonly Rule[] };

/** Those that depend on nothing but the texts and the Tuned. */
const checks: readonly ((input: FindingsInput) => Finding[])[] = [
  conflictingNames,
  impossibleNames,
  unusableProfiles,
  unusedRules,
  circularIncludes,
  doubtfulTexts,
  managementStateIgnored,
];

function outsideNamespace({ tuned: { metadata }, namespace }: FindingsInput): Finding[] {
  if (metadata.namespace === undefined || metadata.namespace === namespace) return [];
  return error(`it is in namespace ${metadata.namespace}: Tuneds outside namespace ${namespace} are ignored`);
}

function conflictingNames({ tuned: { metadata }, texts }: FindingsInput): Finding[] {
  return texts.conflictsOf(metadata.name ?? "").flatMap(([profile, tuneds]) => {
    const where = tuneds.length > 1 ? `differently in Tuneds ${listed(tuneds)}` : "twice, differently";
    return error(`profile ${JSON.stringify(profile)} is defined ${where}: affected nodes keep their current profile`);
  });
}

function impossibleNames({ tuned }: FindingsInput): Finding[] {
  return (tuned.spec?.profile ?? []).flatMap(({ name }, i) =>
    isSafeName(name) ? [] : error(`profile[${i}].name: ${JSON.stringify(name)} is not a valid name of a profile`),
  );
}

/** Texts that TuneD cannot read, and includes that do not exist. */
function unusableProfiles({ tuned, texts }: FindingsInput): Finding[] {
  return (tuned.spec?.profile ?? []).flatMap(({ name }, i) =>
    texts
      .chainOf(name)
      .problems.filter(({ file }) => file === fileOf(name))
      .flatMap((problem) => error(`${placeIn(i, problem)}; no node gets this text`)),
  );
}

function circularIncludes({ tuned, texts }: FindingsInput): Finding[] {
  return (tuned.spec?.profile ?? []).flatMap(({ name }, i) =>
    texts
      .chainOf(name)
      .notices.filter(({ level, file }) => level === "warning" && file !== undefined)
      .map(({ message }): Finding => ({ severity: "warning", message: placeIn(i, { message }) })),
  );
}

function unusedRules({ rules }: FindingsInput): Finding[] {
  return rules.flatMap(({ index, problem, unusable, usesPods }) => {
    if (problem !== undefined) return error(problem);
    if (unusable !== undefined) return error(`${unusable}; ${onlyKept}`);
    const advice = "they make the operator watch every pod of the cluster; label nodes instead";
    return usesPods
      ? error(`recommend[${index}].match: labels of pods are deprecated: ${advice}. The rule is used`)
      : [];
  });
}

/** A note: pools are often created after the Tuneds for them. */
function labelsOfNoPool({ rules, pools }: FindingsInput): Finding[] {
  return rules.flatMap(({ index, problem, recommend: { machineConfigLabels, match } }): Finding[] => {
    if (!pools || !machineConfigLabels || problem !== undefined) return [];
    if (pools.selecting(machineConfigLabels).length > 0) return [];
    const why = pools.isEmpty
      ? "the cluster has no MachineConfigPools"
      : `no pool takes MachineConfigs with ${labelsText(machineConfigLabels)}`;
    const effect = match ? "the rule matches by match only" : "the rule matches no node";
    return [{ severity: "note", message: `recommend[${index}].machineConfigLabels: ${why}; ${effect}` }];
  });
}

const onlyKept = "only nodes that have the profile already keep it, with its last usable text";

/** What has no effect in a text, or hardly the one that was meant. */
function doubtfulTexts({ tuned, texts }: FindingsInput): Finding[] {
  return (tuned.spec?.profile ?? []).flatMap(({ name }, i) =>
    texts.findingsIn(name).map((finding): Finding => ({
      severity: finding.possible ? "warning" : "error",
      message: placeIn(i, finding),
    })),
  );
}

function managementStateIgnored({ tuned: { metadata, spec } }: FindingsInput): Finding[] {
  const ignored = spec?.managementState !== undefined && metadata.name !== defaultTunedName;
  const message = `managementState is ignored: only that of the Tuned ${defaultTunedName} has an effect`;
  return ignored ? [{ severity: "note", message }] : [];
}

/** `profile[0].data:3: …` */
function placeIn(index: number, { line, message }: Problem): string {
  return `profile[${index}].data${line === undefined ? "" : `:${line}`}: ${message}`;
}

function error(message: string): Finding[] {
  return [{ severity: "error", message }];
}

/** `a and b`, `a, b and c`, `a, b, c, d and 9 more` */
function listed(names: readonly string[]): string {
  const shown = names.length > 5 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
