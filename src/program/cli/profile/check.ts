import { type KubeObject, parseApiVersion } from "../../../language/object/meta.ts";
import { apiVersion, group, performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { convertProfile } from "../../../domain/performance-profile/conversion/conversion.ts";
import type { FieldFinding } from "../../../domain/finding.ts";
import { findings } from "../../../domain/performance-profile/findings.ts";
import { nameClashes } from "../../../domain/performance-profile/findings/name.ts";
import { nodeSelectorTaken } from "../../../domain/performance-profile/findings/selectors.ts";
import { type Surroundings, surroundingsOf } from "../../../domain/performance-profile/surroundings.ts";
import { schemas } from "../../../domain/performance-profile/schemas.ts";
import { type Manifest, readManifests } from "../../manifest/read-manifests.ts";
import { type Cell, textTable, widestCell } from "../terminal/text-table.ts";
import type { Values } from "../option/flag.ts";
import type { checkFlags } from "./flags.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, type Terminal } from "../terminal/terminal.ts";
import type { KnownCluster } from "./known-cluster.ts";
import { readMustGather } from "./must-gather.ts";

/** Without a must-gather, profiles are checked without regard to nodes. */
export type CheckOptions = Pick<Values<typeof checkFlags>, "filename"> & Partial<Values<typeof checkFlags>>;

/** A profile of a file and its findings. */
interface Checked {
  readonly place: string;
  readonly name: string;
  readonly findings: readonly FieldFinding[];
}

/** `attune profile check -f FILE…`: validates profiles as admission would, without a cluster. Returns the exit code. */
export async function check(
  options: CheckOptions,
  { terminal, stdin }: CommandContext & { readonly stdin: () => Promise<string> },
): Promise<number> {
  const { output: format = "table" } = options;
  const { manifests, problems } = await readManifests(options.filename, {
    recursive: options.recursive === true,
    stdin,
  });
  const profiles = manifests.filter(isProfile);
  const unknown = profiles.filter(({ object }) => !isKnownVersion(object));
  const refused = [
    ...problems,
    ...unknown.map(({ place, object }) => `${place}: ${object.apiVersion} is no version of ${object.kind}s`),
    ...(problems.length === 0 && profiles.length === 0 ? [noProfile(options.filename, manifests)] : []),
  ];
  for (const problem of refused) terminal.err(`error: ${printable(problem)}\n`);
  if (refused.length > 0) return 1;

  const { mustGatherDirPath } = options;
  const known = mustGatherDirPath === undefined ? undefined : await readMustGather(mustGatherDirPath);
  for (const warning of known?.warnings ?? []) terminal.err(`warning: ${printable(warning)}\n`);
  const converted = profiles.map(({ place, object }) => ({ place, profile: convertProfile(object, apiVersion) }));
  const all = converted.map(({ profile }) => profile);
  const checked: Checked[] = [];
  for (const { place, profile } of converted) {
    const found = known ? findings(profile, await surroundingsIn(known, profile, all)) : findingsAmong(all, profile);
    checked.push({ place, name: profile.metadata.name ?? "", findings: found });
  }
  terminal.out(format === "table" ? checkedText(checked, terminal) : await serialised(checked, format));
  return checked.some((one) => one.findings.some(({ severity }) => severity === "error")) ? 1 : 0;
}

function noProfile(files: readonly string[], manifests: readonly Manifest[]): string {
  const kinds = [...new Set(manifests.map(({ object }) => object.kind))];
  const found = kinds.length === 0 ? "there are no objects" : `there are objects of ${kinds.join(", ")}`;
  const hosted = kinds.includes("ConfigMap") ? "; for ConfigMaps of NodePools use attune plan" : "";
  return `no PerformanceProfile in ${files.join(", ")}: ${found}${hosted}`;
}

function isProfile({ object }: Manifest): boolean {
  return object.kind === performanceProfileKind.kind && parseApiVersion(object.apiVersion).group === group;
}

function isKnownVersion({ apiVersion: given }: KubeObject): boolean {
  return Object.hasOwn(schemas, parseApiVersion(given).version);
}

const betweenProfiles = [nameClashes.name, nodeSelectorTaken.name];

/** The findings of a profile by itself, and of its clashes with the other profiles of the files. */
function findingsAmong(performanceProfiles: readonly KubeObject[], profile: KubeObject): readonly FieldFinding[] {
  const others = surroundingsOf(profile, { nodes: [], performanceProfiles });
  const clashes = findings(profile, others).filter(({ name }) => betweenProfiles.includes(name));
  return [...findings(profile), ...clashes];
}

async function surroundingsIn(
  { nodes, pools, infrastructure, hardware }: KnownCluster,
  profile: KubeObject,
  performanceProfiles: readonly KubeObject[],
): Promise<Surroundings> {
  const around = surroundingsOf(profile, {
    nodes,
    performanceProfiles,
    ...(pools ? { pools } : {}),
    ...(infrastructure ? { infrastructure } : {}),
  });
  const known = await Promise.all(
    around.nodes.map(async (node) => {
      const found = await hardware(node.name);
      return found ? { ...node, topology: found.topology } : node;
    }),
  );
  return { ...around, nodes: known };
}

function checkedText(checked: readonly Checked[], { colours, columns }: Terminal): string {
  const { bold, dim, green, red, yellow } = colours;
  const paints = { error: red, warning: yellow };
  const parts = checked.map(({ place, name, findings: found }) => {
    const title = `${bold(printable(`PerformanceProfile ${name}`))} ${dim(`(${printable(place)})`)}`;
    if (found.length === 0) return `${title}\n  ${green("nothing found")}`;
    const [first = [], ...others] = found.map(({ severity, name: what, field, message }): Cell[] => [
      { text: `  ${severity}`, paint: paints[severity] },
      what,
      printable(`${field}: ${message}`),
    ]);
    return `${title}\n${textTable(first, others, { widest: widestCell, columns })}`;
  });
  return `${parts.join("\n\n")}\n`;
}
