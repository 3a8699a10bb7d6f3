import { type ContainerRuntimeConfig, containerRuntimeConfigKind } from "../api.ts";
import type { GeneratedKind } from "../pool-configs/generated-kind.ts";
import { readRuntimeConfig } from "./read-runtime-config.ts";
import { runtimeFiles } from "./runtime-files.ts";

/** ContainerRuntimeConfigs: one generated MachineConfig for each pool, with the configuration of CRI-O. */
export const generatedRuntime: GeneratedKind<ContainerRuntimeConfig> = {
  kind: containerRuntimeConfigKind,
  word: "containerruntime",
  read: readRuntimeConfig,
  check: () => [],
  files: runtimeFiles,
  // Which runtime a node has is known on the node: the agent reports what it does not honour.
  ignored: () => [],
};
