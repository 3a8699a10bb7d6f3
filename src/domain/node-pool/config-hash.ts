import { canonical, equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import { type MachineConfig, machineConfigKind } from "../machine-config/api.ts";
import type { Digest } from "../machine-config/content-hash.ts";
import type { MachineContents } from "../machine-config/machine-contents.ts";
import { readContents } from "../machine-config/read-contents.ts";
import type { HostedCluster } from "./api.ts";

export interface HashInput {
  /** As a payload has them. */
  readonly objects: readonly KubeObject[];
  /** Of the NodePool's release, such as `4.22.0`. */
  readonly version: string;
  readonly hostedCluster: HostedCluster;
  readonly digest: Digest;
}

export interface ConfigHashes {
  /** Names the payload: a NodePool with another one is rolled out. */
  readonly full: string;
  /** Without the version, to tell an update of the configuration from one of the release. */
  readonly withoutVersion: string;
}

/** The same for what has the same effect on nodes, however it is spelled, ordered, split over ConfigMaps, or annotated. */
export function configHashes({ objects, version, hostedCluster, digest }: HashInput): ConfigHashes {
  const effects = objects.map((object) => canonical(effectOf(object, digest))).toSorted();
  const parts = [[...new Set(effects)], globalConfig(hostedCluster, version)];
  const hash = (value: unknown): string => digest([new TextEncoder().encode(canonical(value))]).slice(0, 16);
  return { full: hash([...parts, version]), withoutVersion: hash(parts) };
}

/** What counts of an object. */
function effectOf({ apiVersion, kind, metadata, ...fields }: KubeObject, digest: Digest): unknown {
  const of = { apiVersion, kind, name: metadata.name };
  if (apiVersion !== machineConfigKind.apiVersion || kind !== machineConfigKind.kind) return { ...of, ...fields };
  const { spec } = { spec: {}, ...fields } as MachineConfig;
  const read = readContents(spec);
  // Ignition that Attune cannot read counts as it is written.
  if (read.type === "problems")
    return { ...of, spec: { ...spec, kernelArguments: inKeyOrder(spec?.kernelArguments ?? []) } };
  return { ...of, contents: contentsOf(read.contents, digest), rest: notContents(spec) };
}

function contentsOf({ files, kernelArguments, ...contents }: MachineContents, digest: Digest): unknown {
  return {
    ...contents,
    kernelArguments: inKeyOrder(kernelArguments),
    files: files.map(({ bytes, ...file }) => ({ ...file, digest: digest([bytes]) })),
  };
}

/** What `readContents` leaves out. */
function notContents(spec: MachineConfig["spec"]): unknown {
  const { baseOSExtensionsContainerImage = "", config } = spec ?? {};
  const { ignition, storage, passwd } = (config ?? {}) as Record<string, Record<string, unknown>>;
  const { version: _, ...downloads } = ignition ?? {};
  const { files: _f, directories: _d, links: _l, ...layout } = storage ?? {};
  const { users: _u, ...groups } = passwd ?? {};
  return { baseOSExtensionsContainerImage, downloads, layout, groups };
}

/** The order of arguments with different keys means nothing to the kernel; a size of huge pages belongs to the count after it. */
function inKeyOrder(kernelArguments: readonly string[]): string[] {
  const keyOf = (argument: string): string => {
    const [key = ""] = argument.split("=", 1);
    return key.includes("hugepages") ? "hugepages" : key;
  };
  return kernelArguments.flatMap(splitArguments).toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/** The parts of a HostedCluster that stand on its nodes. Of Secrets and bundles only the names are known here. */
function globalConfig({ spec }: HostedCluster, version: string): unknown {
  const { pullSecret, additionalTrustBundle, configuration } = spec ?? {};
  const tls = isAtLeast(version, [4, 23]) ? configuration?.apiServer?.tlsSecurityProfile : undefined;
  return {
    pullSecret: pullSecret?.name ?? "",
    additionalTrustBundle: additionalTrustBundle?.name ?? "",
    ...Object.fromEntries(
      Object.entries({ proxy: configuration?.proxy, image: configuration?.image, tls }).filter(
        ([, value]) => value !== undefined && value !== null && !equal(value, {}),
      ),
    ),
  };
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ours = "0", theirs = "0"] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ours) > major || (Number(ours) === major && Number(theirs) >= minor);
}
