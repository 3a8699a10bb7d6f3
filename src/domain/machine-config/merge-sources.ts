import { mergeDocuments } from "../../language/ignition/merge-documents.ts";
import { newestVersion } from "../../language/ignition/read-ignition.ts";
import type { FileEntry, IgnitionDocument } from "../../language/ignition/document.ts";
import { roleLabel, type MachineConfig } from "./api.ts";
import { generatedBy } from "./rendered-annotations.ts";
import type { Images } from "./render-input.ts";
import type { Source } from "./read-source.ts";

/** A MachineConfig that a pool selects, read. */
export interface NamedSource {
  readonly machineConfig: MachineConfig;
  readonly source: Source;
}

/** The spec of a rendered config, every field present. */
export type MergedSpec = Required<Source> & { readonly document: IgnitionDocument };

/** Those of the role worker first, then all others, each by name in byte order: a custom role overrides worker. */
export function inMergeOrder(machineConfigs: readonly MachineConfig[]): MachineConfig[] {
  const rank = ({ metadata }: MachineConfig): number => (metadata.labels?.[roleLabel] === "worker" ? 0 : 1);
  const isBefore = (a: MachineConfig, b: MachineConfig): boolean => (a.metadata.name ?? "") < (b.metadata.name ?? "");
  return machineConfigs.toSorted((a, b) => rank(a) - rank(b) || (isBefore(a, b) ? -1 : 1));
}

/** Sources in merge order. */
export function mergeSources(sources: readonly NamedSource[], images: Images): MergedSpec {
  const specs = sources.map(({ source }) => source);
  // Generated MachineConfigs repeat the cluster's image of the time when they were made.
  const chosen = sources
    .filter(({ machineConfig }) => machineConfig.metadata.annotations?.[generatedBy] === undefined)
    .map(({ source }) => source);
  return {
    document: mergedDocument(specs.flatMap(({ document }) => document ?? [])),
    kernelArguments: specs.flatMap(({ kernelArguments }) => kernelArguments ?? []),
    kernelType: specs.findLast(({ kernelType }) => kernelType && kernelType !== "default")?.kernelType ?? "default",
    extensions: specs.flatMap(({ extensions }) => extensions ?? []),
    fips: specs.some(({ fips }) => fips),
    osImageURL: chosen.findLast(({ osImageURL }) => osImageURL)?.osImageURL ?? images.osImageURL,
    baseOSExtensionsContainerImage:
      chosen.findLast((source) => source.baseOSExtensionsContainerImage)?.baseOSExtensionsContainerImage ??
      images.baseOSExtensionsContainerImage,
  };
}

function mergedDocument(documents: readonly IgnitionDocument[]): IgnitionDocument {
  const merged = mergeDocuments([{ ignition: { version: newestVersion } }, ...documents]);
  const { files } = merged.storage ?? {};
  return files ? { ...merged, storage: { ...merged.storage, files: files.map(completed) } } : merged;
}

/** A file with content overwrites what is there, unless it says otherwise: nodes have been running for long. */
function completed(file: FileEntry): FileEntry {
  if (file.contents?.source === undefined) return file;
  const { compression, ...contents } = file.contents;
  return { overwrite: true, ...file, ...(compression === "" ? { contents } : {}) };
}
