import type { KubeObject } from "../../../language/object/meta.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "../../machine-config/api.ts";
import { machineConfigKind } from "../../machine-config/api.ts";
import { type Profile, tuningNamespace } from "../../node-tuning/api.ts";
import type { BootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { machineConfigName } from "../../node-tuning/boot/machine-configs.ts";
import type { HoldInput } from "../../performance-profile/other-operator/hold.ts";
import { derivedNames } from "../../performance-profile/names.ts";
import { configKinds } from "../envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../envelope/read-manifests.ts";
import { hostedTunedName } from "../names.ts";
import { bootArgumentsConfigMap, configKey, keys } from "../protocol.ts";
import { type EnvelopedProfile, machineConfigLabelsOf } from "./read-envelope.ts";

/**
 * A NodePool as the pool of its profile. `hosted`: the pool by which the hosted cluster rolls it out, where nodes are updated in
 * place; its status tells how far they are.
 */
export function poolFor(profile: EnvelopedProfile, hosted: MachineConfigPool | undefined): MachineConfigPool {
  const { nodePool } = profile.envelope;
  const matchLabels = { ...profile.spec?.nodeSelector };
  const role = Object.keys(matchLabels)[0]?.split("/")[1] ?? "";
  const { name = "" } = profile.metadata;
  const configuration = hosted?.spec?.configuration;
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: nodePool, labels: { [roleLabel]: role } },
    spec: {
      nodeSelector: { matchLabels },
      machineConfigSelector: { matchLabels: machineConfigLabelsOf(profile) },
      ...(hosted?.spec?.paused ? { paused: true } : {}),
      configuration: {
        ...(configuration?.name === undefined ? {} : { name: configuration.name }),
        source: [{ ...machineConfigKind, name: derivedNames(name).machineConfig }],
      },
    },
    ...(hosted?.status ? { status: hosted.status } : {}),
  };
}

export interface HoldTerms {
  /** What node tuning last decided, about all NodePools. */
  readonly boot: BootDecision | undefined;
  /** Nodes of the NodePool. */
  readonly members: readonly KubeObject[];
  /** Of these nodes. */
  readonly nodeProfiles: readonly Profile[];
  /** That with the boot arguments of the NodePool. */
  readonly bootArguments: ConfigMap | undefined;
  readonly now: number;
}

/** What the objects of a profile wait for, in the names of one cluster. */
export function holdFor(profile: EnvelopedProfile, terms: HoldTerms): HoldInput {
  const { members, nodeProfiles, bootArguments, now } = terms;
  const { nodePool } = profile.envelope;
  const boot = terms.boot && isAbout(members, nodePool, terms.boot) ? terms.boot : undefined;
  const joined = nodeProfiles.map(({ metadata }) => metadata.creationTimestamp ?? "").toSorted()[0];
  return {
    boot: boot && {
      ...boot,
      tuneds: boot.tuneds.flatMap((tuned) => plainTuned(tuned, nodePool)),
      // No rule is for the NodePool any more: the ConfigMap with its boot arguments goes first.
      orphaned: [...boot.poolsOf.values()].flat().includes(nodePool) ? [] : [machineConfigName(nodePool)],
    },
    machineConfigs: bootArguments ? machineConfigIn(bootArguments, profile) : [],
    now,
    firstNode: { joined },
  };
}

/** Nodes reach controllers by watches of their own: a decision may not know yet that one has joined, or miss one that is leaving. */
function isAbout(members: readonly KubeObject[], nodePool: string, { labelsOf = new Map() }: BootDecision): boolean {
  return members.every(({ metadata: { name = "" } }) => labelsOf.get(name)?.[keys.nodePool] === nodePool);
}

/** A Tuned of the NodePool with the name that it has in its ConfigMap. */
export function plainTuned<T extends KubeObject>(tuned: T, nodePool: string): T[] {
  const { name = "", labels = {} } = tuned.metadata;
  const suffix = hostedTunedName("", nodePool);
  if (!Object.hasOwn(labels, keys.nodePoolName) || labels[keys.nodePoolName] !== nodePool || !name.endsWith(suffix))
    return [];
  return [{ ...tuned, metadata: { ...tuned.metadata, name: name.slice(0, -suffix.length) } }];
}

function machineConfigIn(configMap: ConfigMap, profile: EnvelopedProfile): MachineConfig[] {
  return readManifests(configMap, [configKey], configKinds)
    .manifests.filter(({ object }) => object.kind === machineConfigKind.kind)
    .map(({ object }) => ({ ...object, metadata: { ...object.metadata, labels: machineConfigLabelsOf(profile) } }));
}

/** Keys of the ConfigMap with the boot arguments of a NodePool, and of the Profile of a node. */
export const bootArgumentsKey = (namespace: string, nodePool: string): string =>
  `${namespace}/${bootArgumentsConfigMap(nodePool)}`;
export const nodeProfileKey = (node: string): string => `${tuningNamespace}/${node}`;
