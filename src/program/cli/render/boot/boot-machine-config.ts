import type { MachineConfig } from "../../../../domain/machine-config/api.ts";
import { type ChosenNode, poolArguments, trusted } from "../../../../domain/node-tuning/boot/boot-arguments.ts";
import { inputsOf } from "../../../../domain/node-tuning/node-profile.ts";
import { machineConfigName, poolMachineConfig } from "../../../../domain/node-tuning/boot/machine-configs.ts";
import type { Pools } from "../../../../domain/machine-config/pools.ts";

export interface BootArguments {
  readonly pool: string;
  readonly pools: Pools;
  /** A node of the pool. */
  readonly node: ChosenNode;
  /** The boot arguments of its profile. */
  readonly line: string;
  readonly version: string;
  /** The MachineConfigs of the input. */
  readonly machineConfigs: readonly MachineConfig[];
}

export type BootMachineConfig =
  | { readonly type: "machine-config"; readonly object: MachineConfig }
  | { readonly type: "nothing"; readonly why: string };

/** The MachineConfig that the operator would write if every node of the pool reported the same boot arguments. */
export function bootMachineConfig(input: BootArguments): BootMachineConfig {
  const { pool, pools, node, version, machineConfigs } = input;
  const { choice, wanted } = node;
  const reported: ChosenNode = { ...node, observed: { ...wanted, status: statusOf(input) } };
  const agreed = poolArguments([reported], pools, "documented", trusted).find((one) => one.pool === pool);
  if (!agreed) {
    const by =
      choice.via.type === "match"
        ? "that matches labels of nodes"
        : "whose machineConfigLabels select another pool or several pools";
    return { type: "nothing", why: `its nodes get ${choice.rule.recommend.profile} through a rule ${by}` };
  }
  const made = poolMachineConfig(agreed, undefined, version);
  if (!made) return { type: "nothing", why: `${choice.rule.recommend.profile} has no boot arguments` };
  const brought = machineConfigs.find(({ metadata }) => metadata.name === machineConfigName(pool));
  return brought ? joined(brought, made) : { type: "machine-config", object: made };
}

function statusOf({ node: { wanted }, line }: BootArguments): ChosenNode["wanted"]["status"] {
  return {
    tunedProfile: wanted.spec.config.tunedProfile,
    bootcmdline: line,
    bootcmdlineInputs: inputsOf(wanted.spec),
    conditions: [{ type: "Applied", status: "True", reason: "", message: "", lastTransitionTime: "" }],
  };
}

/** Arguments of the MachineConfig of the input stay, and come first. */
function joined(brought: MachineConfig, made: MachineConfig): BootMachineConfig {
  const before = brought.spec?.kernelArguments ?? [];
  const after = made.spec?.kernelArguments ?? [];
  if (after.every((word) => before.includes(word)))
    return { type: "nothing", why: `${brought.metadata.name} has these arguments already` };
  const kernelArguments = [...new Set([...before, ...after])];
  return {
    type: "machine-config",
    object: {
      ...brought,
      metadata: {
        ...brought.metadata,
        labels: { ...brought.metadata.labels, ...made.metadata.labels },
        annotations: { ...made.metadata.annotations, ...brought.metadata.annotations },
      },
      spec: { ...brought.spec, kernelArguments },
    },
  };
}
