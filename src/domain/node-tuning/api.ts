import type { CacheText } from "../../language/cpu/load-caches.ts";
import type { TopologyText } from "../../language/cpu/topology-text.ts";
import type { Condition } from "../../language/object/condition.ts";
import type { KindRef, KubeObject, ObjectMeta } from "../../language/object/meta.ts";

export const group = "tuned.openshift.io";
export const apiVersion = `${group}/v1`;

/** The namespace of Tuneds and Profiles, as in existing manifests. */
export const tuningNamespace = "openshift-cluster-node-tuning-operator";

/** Of what the controllers of node tuning apply. */
export const fieldManager = "attune-node-tuning";

/** On a Tuned, and copied to its Profiles: which changes wait for the next restart of the node. */
export const deferredAnnotation = `${group}/deferred`;
export type Deferred = "always" | "update";

/** Any other value means what no annotation means: changes apply at once. */
export function deferredOf({ metadata: { annotations } }: Pick<KubeObject, "metadata">): Deferred | undefined {
  const mode = annotations && Object.hasOwn(annotations, deferredAnnotation) ? annotations[deferredAnnotation] : "";
  return mode === "always" || mode === "update" ? mode : undefined;
}

/** Under the shipped protocol: what a Profile's boot arguments depend on. On a Profile, and copied to its Node. */
export const inputsAnnotation = `${group}/bootcmdline-deps`;
/** Under the shipped protocol: the boot arguments of the node's profile. On a Node. */
export const bootArgumentsAnnotation = `${group}/bootcmdline`;
/** On a MachineConfig that the operator may change and delete. */
export const generatedAnnotation = `${group}/generated-by-controller-version`;

/** Whether the operator generated the object. */
export function isGenerated({ annotations }: ObjectMeta): boolean {
  return annotations !== undefined && Object.hasOwn(annotations, generatedAnnotation);
}

/** Where nodes report boot arguments: in the status of Profiles, or in annotations of Nodes as the replaced operator does. */
export type Protocol = "documented" | "shipped";

/** Written by users: TuneD profiles, and rules for which nodes get which profile. */
export interface Tuned extends KubeObject {
  spec?: TunedSpec | undefined;
  status?: { conditions?: Condition[]; observedGeneration?: number | undefined } | undefined;
}

export interface TunedSpec {
  /** Honoured on the Tuned `default` only. */
  managementState?: "Managed" | "Unmanaged" | "Force" | "Removed";
  profile?: ProfileText[] | null | undefined;
  recommend?: Recommend[] | null | undefined;
}

export interface ProfileText {
  name: string;
  /** INI text. */
  data: string;
}

export interface Recommend {
  profile: string;
  /** The lowest number wins. */
  priority: number;
  match?: Match[] | null;
  machineConfigLabels?: Record<string, string> | null;
  operand?: {
    debug?: boolean;
    verbosity?: number;
    tunedConfig?: TunedConfig;
  };
}

/** Matches a node with the label that also matches any entry of `match`, if there is one. */
export interface Match {
  label?: string;
  value?: string;
  type?: string;
  match?: Match[] | null;
}

export interface TunedConfig {
  reapply_sysctl?: boolean;
}

/** One per node, of the same name: the operator writes spec, the agent writes status. */
export interface Profile extends KubeObject {
  spec: ProfileSpec;
  status?: ProfileStatus | undefined;
}

export interface ProfileSpec {
  config: {
    tunedProfile: string;
    debug?: boolean;
    verbosity?: number;
    tunedConfig?: TunedConfig;
    providerName?: string;
  };
  profile?: ProfileText[] | null;
}

export interface ProfileStatus {
  tunedProfile: string;
  /** The boot arguments of the profile, as one line. */
  bootcmdline?: string | undefined;
  /** What they were computed from: `inputsOf` in node-profile.ts. */
  bootcmdlineInputs?: string;
  /** Those of them that the running kernel was not started with, as one line. Absent: none. */
  bootcmdlinePending?: string | undefined;
  /** Profiles in the node's own TuneD folders that are not built in: a rule may name them. Absent: none. */
  hostProfiles?: string[] | undefined;
  /** What the node answered to the profile in force: what the cluster cannot know otherwise. */
  answers?: NodeAnswer[] | undefined;
  /** The result of each setting; those that are not as wanted come first. */
  settings?: ReportedSetting[] | undefined;
  /** How many more there are: the list is limited. */
  settingsOmitted?: number | undefined;
  /** What of the profile in force is not as wanted, or was not when the agent last looked. Absent: nothing. */
  exceptions?: SettingException[] | undefined;
  /** How many more there are: the list is limited. */
  exceptionsOmitted?: number | undefined;
  conditions?: Condition[];
  observedGeneration?: number | undefined;
  /** Absent: the agent has not read it, or could not. */
  hardware?: Hardware;
  /** Absent: the agent has not read them, or could not. */
  cpus?: CpusInForce | undefined;
  /** The boot in which the node was tuned, by its id. */
  bootID?: string | undefined;
}

/** Reports that no decision reads. */
export const reportFields = [
  "hardware",
  "cpus",
  "settings",
  "settingsOmitted",
  "exceptions",
  "exceptionsOmitted",
  "bootcmdlinePending",
  "answers",
] as const;
/** CRDs of earlier versions, and of the operator that Attune replaces, do not have these. */
export const optionalFields = [...reportFields, "hostProfiles", "bootID"] as const;
/** The last one is a field of `hardware`, which CRDs may have without it. */
export type OptionalField = (typeof optionalFields)[number] | "hardware.caches";

/** What a node answered to a probe of its profile. Without a text: nothing. */
export interface NodeAnswer {
  /** As `probeKey` writes it: `["exec","virt-what"]`. */
  probe: string;
  text?: string | undefined;
}

/** The result of one setting, as the agent reports it. */
export interface ReportedSetting {
  unit: string;
  /** Empty: the whole unit. */
  option: string;
  state: "AsWanted" | "Different" | "Skipped" | "Failed";
  /** The value on the node. */
  value?: string | undefined;
  /** Why it is not as wanted. */
  message?: string | undefined;
  /** One of the devices that it is about. */
  device?: string | undefined;
}

/** A Profile has at most so many. */
export const mostExceptions = 64;

/** One setting that is not as its profile wants it, or that another process changed. */
export interface SettingException {
  unit: string;
  /** Empty: the whole unit. */
  option: string;
  device?: string | undefined;
  /**
   * `Changed`: another process changed it, and it is not set back. `Repaired`: the agent has set it back. `Overridden`: a
   * sysctl file of the node or another owner sets it. `Skipped`: the node has nothing to set it on.
   */
  state: "Failed" | "Changed" | "Overridden" | "Skipped" | "Repaired";
  wanted?: string | undefined;
  found?: string | undefined;
  /** `file:line` of the profile text. */
  from?: string | undefined;
  /** Who sets it instead: a file of the node, or an owner of its ledger such as perftune. */
  owner?: string | undefined;
  /** Why. */
  message?: string | undefined;
  /** When the agent first reported it. */
  since: string;
}

/** The hardware of a node, as its agent reads it. */
export interface Hardware extends TopologyText {
  /** As Kubernetes names it: `amd64`, `arm64`. */
  architecture?: string;
  /** Of the processor, as in /proc/cpuinfo: `GenuineIntel`. Some architectures have none. */
  vendor?: string;
  /** That several cores share. Absent: none, or not known. */
  caches?: CacheText[];
  /** Of its performance counters, which distinguish generations of Intel processors: `icelake`. */
  pmuName?: string;
}

/** Cpusets as they are on the node now, whatever its profile wants. Empty: none. A field that is absent could not be read. */
export interface CpusInForce {
  /** Which the running kernel was started to keep free. */
  readonly isolated?: string | undefined;
  /** Which the kubelet gives to no container alone. */
  readonly reserved?: string | undefined;
  /** Which the container runtime adds to containers that have CPUs of their own. */
  readonly shared?: string | undefined;
  /** Which serve interrupts that have no affinity of their own. */
  readonly irq?: string | undefined;
}

export const tunedKind: KindRef<Tuned> = { apiVersion, kind: "Tuned", plural: "tuneds", namespaced: true };
export const profileKind: KindRef<Profile> = { apiVersion, kind: "Profile", plural: "profiles", namespaced: true };
