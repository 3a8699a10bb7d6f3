import { byteLength } from "../../language/object/byte-length.ts";
import { FileDecoder } from "../../language/ignition/file-decoder.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, type PoolConfiguration } from "./api.ts";
import { contentHash, type Digest } from "./content-hash.ts";
import type { MachineContents } from "./machine-contents.ts";
import { type Images, inMergeOrder, mergeSources, type MergedSpec, type NamedSource } from "./merge-sources.ts";
import { contentsOf } from "./read-contents.ts";
import { readSource } from "./read-source.ts";
import { generatedBy, osImageOverridden, releaseVersion } from "./rendered-annotations.ts";

export interface RenderInput {
  readonly pool: MachineConfigPool;
  /** Those that the pool selects, in any order, with those that are generated for it. */
  readonly machineConfigs: readonly MachineConfig[];
  /** Default: none, so that nodes keep their operating system. */
  readonly images?: Images | undefined;
  /** Of the running operator. */
  readonly version: string;
  /** Of the cluster. */
  readonly release?: string | undefined;
  readonly digest: Digest;
}

export type Rendering =
  | {
      readonly type: "rendered";
      readonly config: MachineConfig;
      readonly sources: NonNullable<PoolConfiguration["source"]>;
      readonly contents: MachineContents;
    }
  | { readonly type: "refused"; readonly problems: readonly RenderProblem[] };

/** What is wrong, and with which object: the pool itself or a MachineConfig that it selects. */
export interface RenderProblem extends Omit<FieldError, "reason"> {
  readonly object: { readonly kind: string; readonly name: string };
}

/** The rendered config of a pool: the same name for the same contents. */
export function renderPool(input: RenderInput): Rendering {
  const decoder = new FileDecoder();
  const sources: NamedSource[] = [];
  const problems: RenderProblem[] = [];
  for (const machineConfig of inMergeOrder(input.machineConfigs)) {
    const read = readSource(machineConfig.spec ?? {}, decoder);
    if (read.type === "source") sources.push({ machineConfig, source: read.source });
    else problems.push(...read.problems.map((problem) => about(machineConfig, problem)));
  }
  if (input.machineConfigs.length === 0) problems.push(noneSelected(input.pool));
  if (problems.length > 0) return { type: "refused", problems };
  const images = input.images ?? { osImageURL: "", baseOSExtensionsContainerImage: "" };
  const merged = mergeSources(sources, images);
  const contents = contentsOf(merged, decoder);
  const config = renderedConfig(input, merged, contentHash(contents, rest(merged), input.digest));
  if (merged.osImageURL !== images.osImageURL)
    config.metadata.annotations = { ...config.metadata.annotations, [osImageOverridden]: "true" };
  const size = byteLength(JSON.stringify(config));
  if (size > mostBytes) return { type: "refused", problems: [tooLarge(input.pool, size)] };
  return {
    type: "rendered",
    config,
    sources: sources.map(({ machineConfig: { metadata } }) => ({
      apiVersion,
      kind: "MachineConfig",
      name: metadata.name ?? "",
    })),
    contents,
  };
}

/** What nodes cannot apply counts too: it may be refused, or be for new nodes only. */
function rest({ document, baseOSExtensionsContainerImage }: MergedSpec): unknown {
  const {
    ignition: { version: _, ...ignition },
    storage,
    passwd,
    systemd: _units,
    ...others
  } = document;
  const { files: _files, directories: _directories, links: _links, ...layout } = storage ?? {};
  const users = passwd?.users?.map(({ passwordHash: _hash, sshAuthorizedKeys: _keys, ...user }) => user);
  return { ignition, layout, users, groups: passwd?.groups, others, baseOSExtensionsContainerImage };
}

function renderedConfig({ pool, version, release = "" }: RenderInput, merged: MergedSpec, hash: string): MachineConfig {
  const { name = "", uid = "" } = pool.metadata;
  const { document, ...fields } = merged;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: {
      name: `rendered-${name}-${hash}`,
      annotations: { [generatedBy]: version, [releaseVersion]: release },
      ownerReferences: [
        { apiVersion, kind: "MachineConfigPool", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      ...fields,
      kernelArguments: [...merged.kernelArguments],
      extensions: [...merged.extensions],
      config: document,
    },
  };
}

/** The limit of etcd for one object. */
export const mostBytes = 1_572_864;

function tooLarge(pool: MachineConfigPool, size: number): RenderProblem {
  const message = `the rendered config has ${size} bytes, the API server stores at most ${mostBytes}: shorten or compress files`;
  return about(pool, { field: "spec.machineConfigSelector", message });
}

function noneSelected(pool: MachineConfigPool): RenderProblem {
  return about(pool, { field: "spec.machineConfigSelector", message: "selects no MachineConfig" });
}

function about(
  { kind, metadata }: MachineConfig | MachineConfigPool,
  problem: Omit<FieldError, "reason">,
): RenderProblem {
  return { object: { kind, name: metadata.name ?? "" }, field: problem.field, message: problem.message };
}
