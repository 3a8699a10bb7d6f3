import { isSafeName } from "../../language/tuned/chain/include.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import type { Finding } from "../finding.ts";
import type { Tuned } from "./api.ts";
import { defaultTunedName } from "./default-tuned.ts";
import { fileOf, ProfileTexts } from "./profile-texts.ts";
import { type Rule, rulesOf } from "./rule.ts";

/** What a Tuned is judged by. */
export interface TunedSurroundings {
  /** Of all Tuneds that are known, the judged one among them. */
  readonly texts: ProfileTexts;
  readonly rules: readonly Rule[];
  /** The namespace of the Tuneds that the operator reads. */
  readonly namespace: string;
}

/**
 * What is wrong with a Tuned or hardly meant: the one list behind its condition Valid, the event, the warnings on apply and
 * the findings of a plan. `error`: something in it has no effect. `warning`: it may be a mistake.
 */
export function tunedFindings(tuned: Tuned, around: TunedSurroundings): Finding[] {
  return checks.flatMap((check) => check({ ...around, tuned }));
}

/**
 * The same for a Tuned that is being written. Manifests are applied in any order, so a profile that does not exist yet is
 * found here too, and the status tells what became of it. `cluster`: undefined while it is unknown.
 */
export function findingsOnWrite(tuned: Tuned, cluster: KnownTuneds | undefined, namespace: string): Finding[] {
  const { tuneds = [], onHosts = [] } = cluster ?? {};
  const all = [...tuneds.filter(({ metadata }) => metadata.name !== tuned.metadata.name), tuned];
  const texts = new ProfileTexts(all, cluster ? "all" : "some", onHosts);
  return tunedFindings(tuned, { texts, rules: rulesOf([tuned], texts), namespace });
}

export interface KnownTuneds {
  readonly tuneds: readonly Tuned[];
  /** Names of profiles that nodes have in their own folders. */
  readonly onHosts: readonly string[];
}

type FindingsInput = TunedSurroundings & { readonly tuned: Tuned };

const checks: readonly ((input: FindingsInput) => Finding[])[] = [
  outsideNamespace,
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
  return [...texts.conflicts()]
    .filter(([, tuneds]) => tuneds.has(metadata.name ?? ""))
    .flatMap(([profile, tuneds]) => {
      const where = tuneds.size > 1 ? `differently in Tuneds ${listed([...tuneds].toSorted())}` : "twice, differently";
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

function unusedRules({ tuned: { metadata }, rules }: FindingsInput): Finding[] {
  return rules
    .filter((rule) => rule.tuned === (metadata.name ?? ""))
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, problem, unusable, usesPods }) => {
      if (problem !== undefined) return error(problem);
      if (unusable !== undefined) return error(`${unusable}; ${onlyKept}`);
      const advice = "they make the operator watch every pod of the cluster; label nodes instead";
      return usesPods
        ? error(`recommend[${index}].match: labels of pods are deprecated: ${advice}. The rule is used`)
        : [];
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

/** `a and b`, `a, b and c` */
function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
