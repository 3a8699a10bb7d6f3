import { jsonSize } from "../../language/object/json-size.ts";
import { FileDecoder } from "../../language/ignition/file-decoder.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, type PoolConfiguration } from "./api.ts";
import { contentHash } from "./content-hash.ts";
import type { MachineContents } from "./machine-contents.ts";
import { inMergeOrder, mergeSources, type MergedSpec, type NamedSource } from "./merge-sources.ts";
import { mostOriginsText, type Origins, originsOf } from "./origins.ts";
import { about, type RenderProblem } from "./culprit.ts";
import type { Images, RenderInput } from "./render-input.ts";
import { refusedTogether } from "./refusals.ts";
import { contentsOf } from "./read-contents.ts";
import { readSource } from "./read-source.ts";
import { generatedBy, osImageOverridden, releaseVersion } from "./rendered-annotations.ts";

export type Rendering =
  | {
      readonly type: "rendered";
      readonly config: MachineConfig;
      readonly sources: NonNullable<PoolConfiguration["source"]>;
      readonly contents: MachineContents;
      readonly origins: Origins;
    }
  | { readonly type: "refused"; readonly problems: readonly RenderProblem[] };

/** The rendered config of a pool: the same name for the same contents. */
export function renderPool(input: RenderInput): Rendering {
  const { pool } = input;
  const decoder = new FileDecoder();
  const sources: NamedSource[] = [];
  const problems: RenderProblem[] = [];
  for (const machineConfig of inMergeOrder(input.machineConfigs)) {
    const read = readSource(machineConfig.spec ?? {}, decoder);
    if (read.type === "source") sources.push({ machineConfig, source: read.source });
    else problems.push(...read.problems.map((problem) => about(machineConfig, problem)));
  }
  if (input.machineConfigs.length === 0) problems.push(noneSelected(pool));
  if (problems.length > 0) return { type: "refused", problems };
  const merged = mergeSources(sources, input.images ?? noImages);
  problems.push(...refusedTogether(input, merged, sources));
  if (problems.length > 0) return { type: "refused", problems };
  const contents = contentsOf(merged, decoder);
  const config = renderedConfig(input, merged, contentHash(contents, rest(merged), input.digest));
  const size = jsonSize(config, isBase64);
  if (size > mostBytes) return { type: "refused", problems: [tooLarge(pool, size)] };
  const origins: Origins = size + mostOriginsText > mostBytes ? new Map() : originsOf(sources);
  return { type: "rendered", config, sources: sources.map(referenceOf), contents, origins };
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
  const { files: _files, directories: _directories, links: _links, ...lists } = storage ?? {};
  const layout = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  const users = passwd?.users?.map(({ passwordHash: _hash, sshAuthorizedKeys: _keys, ...user }) => user);
  return {
    ignition,
    layout,
    users: users?.length ? users : undefined,
    groups: passwd?.groups?.length ? passwd.groups : undefined,
    others,
    baseOSExtensionsContainerImage,
  };
}

const noImages: Images = { osImageURL: "", baseOSExtensionsContainerImage: "" };

function renderedConfig(input: RenderInput, merged: MergedSpec, hash: string): MachineConfig {
  const { pool, version, release, images = noImages } = input;
  const { name = "", uid = "" } = pool.metadata;
  const { document, ...fields } = merged;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: {
      name: `rendered-${name}-${hash}`,
      annotations: {
        [generatedBy]: version,
        ...(release === undefined ? {} : { [releaseVersion]: release }),
        ...(merged.osImageURL === images.osImageURL ? {} : { [osImageOverridden]: "true" }),
      },
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

function referenceOf({ machineConfig: { metadata } }: NamedSource): { apiVersion: string; kind: string; name: string } {
  return { apiVersion, kind: "MachineConfig", name: metadata.name ?? "" };
}

/** The limit of etcd for one object. */
export const mostBytes = 1_572_864;

/** Of a source, which was decoded. */
function isBase64(text: string): boolean {
  return /^data:[\w/;=+.-]*;base64,/.test(text) && !text.includes("\n") && !text.includes("\r");
}

function noneSelected(pool: MachineConfigPool): RenderProblem {
  return about(pool, { field: "spec.machineConfigSelector", message: "selects no MachineConfig" });
}

function tooLarge(pool: MachineConfigPool, size: number): RenderProblem {
  const message = `the rendered config has ${size} bytes, the API server stores at most ${mostBytes}: shorten or compress files`;
  return about(pool, { field: "spec.machineConfigSelector", message });
}
