import { writeJson } from "../../../language/object/exact-json.ts";
import { isObject, type JsonObject } from "../../../language/object/json.ts";
import { annotations } from "../node-annotations.ts";
import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";

/** Where a new node finds what its first boot needs. */
export const payloadPaths = {
  annotations: "/etc/machine-config-daemon/node-annotations.json",
  config: "/etc/mcs-machine-config-content.json",
  withoutIgnition: "/etc/ignition-machine-config-encapsulated.json",
  kubeletAuthority: "/etc/kubernetes/kubelet-ca.crt",
} as const;

/** By which config a new node starts: the new one only once a node has it, so that a bad config reaches one node first. */
export function servedConfig({ spec, status }: MachineConfigPool): string | undefined {
  const isProven = (status?.updatedMachineCount ?? 0) > 0;
  return (isProven ? spec?.configuration : status?.configuration)?.name || spec?.configuration?.name;
}

export interface PayloadInput {
  readonly config: MachineConfig;
  /** Of Ignition. */
  readonly version: string;
  /** The authority that signs the kubelets' clients. */
  readonly kubeletAuthority?: string | undefined;
}

/** An Ignition config for a new node: the files and units of its pool, the config itself, and the state of its Node. */
export function firstBootPayload({ config, version, kubeletAuthority }: PayloadInput): JsonObject {
  const document = isObject(config.spec?.config) ? config.spec.config : {};
  const storage = isObject(document["storage"]) ? document["storage"] : {};
  const files = Array.isArray(storage["files"]) ? storage["files"] : [];
  const name = config.metadata.name ?? "";
  const started = {
    [annotations.currentConfig]: name,
    [annotations.desiredConfig]: name,
    [annotations.state]: "Done",
    [firstPivotConfig]: name,
  };
  const ignition = { ...(isObject(document["ignition"]) ? document["ignition"] : {}), version };
  const own: [string, string][] = [
    ...(kubeletAuthority === undefined ? [] : [[payloadPaths.kubeletAuthority, kubeletAuthority] as [string, string]]),
    [payloadPaths.annotations, writeJson(started)],
    [payloadPaths.config, writeJson(config)],
    [payloadPaths.withoutIgnition, writeJson(withoutIgnition(config, version))],
  ];
  return { ...document, ignition, storage: { ...storage, files: [...files, ...own.map(textFile)] } } as JsonObject;
}

/** The config by which a node booted first. */
export const firstPivotConfig = annotations.currentConfig.replace("currentConfig", "firstPivotConfig");

function withoutIgnition({ metadata, spec = {} }: MachineConfig, version: string): object {
  const { kernelArguments = [], kernelType = "", extensions = null, fips = false, osImageURL = "" } = spec;
  const { baseOSExtensionsContainerImage = "" } = spec;
  const config = { ignition: { version } };
  return {
    metadata: { name: metadata.name },
    spec: { kernelArguments, kernelType, extensions, fips, osImageURL, baseOSExtensionsContainerImage, config },
  };
}

function textFile([path, text]: [string, string]): object {
  return { path, mode: 0o644, overwrite: true, contents: { source: `data:,${encodeURIComponent(text)}` } };
}
