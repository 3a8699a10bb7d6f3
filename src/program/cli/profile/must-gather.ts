import { get, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { readSnapshot, type Snapshot } from "../../../node/snapshot/read-snapshot.ts";
import { listItems, parseDocuments } from "../../manifest/parse-documents.ts";
import { printable } from "../terminal/terminal.ts";
import { type GatheredFile, gatheredFiles } from "./gathered-files.ts";
import { isHosted, type KnownCluster } from "./known-cluster.ts";

/** Where a must-gather has which files. The folders above are named after images. */
const nodePlace = "cluster-scoped-resources/core/nodes";
const poolPlace = "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools";
const infrastructurePlace = "cluster-scoped-resources/config.openshift.io/infrastructures/cluster.yaml";
const snapshotPlace = "nodes/NODE/sysinfo.tgz";
const places = {
  [nodePlace]: /^(.*\/)?cluster-scoped-resources\/core\/nodes\/[^/]+\.ya?ml$/,
  [poolPlace]:
    /^(.*\/)?cluster-scoped-resources\/machineconfiguration\.openshift\.io\/machineconfigpools\/[^/]+\.ya?ml$/,
  [infrastructurePlace]: /^(.*\/)?cluster-scoped-resources\/config\.openshift\.io\/infrastructures\/cluster\.ya?ml$/,
  [snapshotPlace]: /^((?:.*\/)?)nodes\/[^/]+\/sysinfo\.tgz$/,
} as const;
type Place = keyof typeof places;

/** Reads a must-gather: a folder, or an archive of one. */
export async function readMustGather(path: string): Promise<KnownCluster> {
  try {
    return await read(path);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`--must-gather-dir-path ${path}: ${printable(message)}`, { cause: error });
  }
}

async function read(path: string): Promise<KnownCluster> {
  const found = await gatheredFiles(path, isWanted);
  const at = (place: Place): readonly GatheredFile[] => inOnePlace(place, found);
  const warnings: string[] = [];
  const nodes = await objectsIn("Node", at(nodePlace));
  if (nodes.length === 0) throw new Error(`no ${nodePlace} in it: is it a must-gather?`);
  const pools = await objectsIn(
    "MachineConfigPool",
    at(poolPlace),
    // A broken pool of masters must not prevent profiles for other pools.
    (file, problem) => isMaster(file) && warnings.push(`${problem}; continuing without the pool`) > 0,
  );
  const [infrastructure] = await objectsIn("Infrastructure", at(infrastructurePlace));
  if (pools.length === 0 && !isHosted(infrastructure)) throw new Error(`no ${poolPlace} in it: is it a must-gather?`);
  const snapshots = new Map(at(snapshotPlace).map((file) => [file.path.split("/").at(-2), file]));
  return {
    nodes,
    pools: pools.length > 0 ? pools : undefined,
    infrastructure,
    hardware: (node) => hardwareIn(snapshots.get(node)),
    warnings,
  };
}

/** Folders below a namespace may have any name, also that of a wanted one. */
function isWanted(path: string): boolean {
  return !`/${path}`.includes("/namespaces/") && Object.values(places).some((place) => place.test(path));
}

function isMaster({ path }: GatheredFile): boolean {
  return /(^|\/)master\.ya?ml$/.test(path);
}

/** Throws if the must-gathers of two clusters, or two of one cluster, are in the same folder. */
function inOnePlace(place: Place, files: readonly GatheredFile[]): readonly GatheredFile[] {
  const above = new Map<string, GatheredFile[]>();
  for (const file of files) {
    const match = places[place].exec(file.path);
    if (!match || (place === snapshotPlace && file.path.includes("cluster-scoped-resources/"))) continue;
    const folder = match[1] ?? "";
    const others = above.get(folder);
    if (others) others.push(file);
    else above.set(folder, [file]);
  }
  if (above.size > 1) {
    const folders = [...above.keys()].map((folder) => folder || ".//").toSorted();
    throw new Error(
      `${place} is there ${above.size} times, in ${folders.join(" and ")}: name the folder of one must-gather`,
    );
  }
  return [...above.values()].flat().toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file that cannot be read is an error, unless `tolerated` returns true for it. */
async function objectsIn(
  kind: string,
  files: readonly GatheredFile[],
  tolerated: (file: GatheredFile, problem: string) => boolean = () => false,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const file of files) {
    const found = await objectsOf(kind, file);
    if (typeof found !== "string") objects.push(...found);
    else if (!tolerated(file, found)) throw new Error(found);
  }
  return objects;
}

async function objectsOf(kind: string, file: GatheredFile): Promise<KubeObject[] | string> {
  const objects: KubeObject[] = [];
  for (const document of await parseDocuments(file.path, new TextDecoder().decode(await file.read()))) {
    if ("problem" in document) return `${document.place}: ${document.problem}`;
    objects.push(...listItems(document.value).filter((value): value is KubeObject => isNamed(value, kind)));
  }
  return objects.length > 0 ? objects : `${file.path}: no ${kind} in it`;
}

/** Names are printed, so only those are taken that Kubernetes allows. */
function isNamed(value: unknown, kind: string): boolean {
  const name = isObject(value) && value.kind === kind ? get(value.metadata, "name") : undefined;
  return typeof name === "string" && dnsSubdomain(name).length === 0;
}

async function hardwareIn(file: GatheredFile | undefined): Promise<Snapshot | undefined> {
  if (!file) return undefined;
  try {
    return await readSnapshot(once(await file.read()));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${file.path}: ${message}`, { cause: error });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
