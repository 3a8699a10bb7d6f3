import { parseArgs } from "node:util";
import { agentServiceAccount } from "../../agent/rbac.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { type Protocol, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { type ClusterFeatures, clusterFeatures, plain } from "../../operator/cluster-features.ts";
import { type OperatorOptions, runOperator } from "../../operator/operator.ts";
import type { Options } from "../option/connection-option.ts";
import { type OperatorMode, operatorMode, protocolOption } from "./mode.ts";
import { defaultImage, version } from "../version.ts";

export interface OperatorArguments {
  readonly mode: OperatorMode;
  readonly protocol: Protocol;
  /** Where Tuneds and Profiles are. */
  readonly namespace: string;
  /** Of the agents. */
  readonly image: string;
  readonly release: string;
  readonly leaderElection: boolean;
  readonly probeAddress?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment counts as it does for the operator that Attune replaces, and options count more. */
export function operatorArguments(options: Options, env: Environment): OperatorArguments {
  const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  const probeAddress = text(options.probeAddress);
  return {
    mode: operatorMode(options.mode ?? "auto"),
    protocol: protocolOption(options.protocol ?? "documented"),
    namespace: text(options.namespace) ?? text(env["WATCH_NAMESPACE"]) ?? tuningNamespace,
    image: text(options.image) ?? text(env["CLUSTER_NODE_TUNED_IMAGE"]) ?? defaultImage,
    release: env["RELEASE_VERSION"] ?? "",
    leaderElection: options.leaderElection !== false,
    ...(probeAddress === undefined ? {} : { probeAddress }),
  };
}

/** The same from the words after `attune operator`, for containers of virtual nodes: they listen nowhere. */
export function operatorWords(words: readonly string[], env: Environment): OperatorArguments {
  const { values } = parseArgs({
    args: [...words],
    options: {
      mode: { type: "string" },
      protocol: { type: "string" },
      namespace: { type: "string", short: "n" },
      image: { type: "string" },
      "probe-address": { type: "string" },
      "no-leader-election": { type: "boolean" },
    },
  });
  const { "no-leader-election": alone = false, "probe-address": _, ...others } = values;
  return operatorArguments({ ...others, leaderElection: !alone }, env);
}

type Surroundings = Pick<OperatorOptions, "client" | "signal" | "log" | "metrics" | "tell">;

/** Runs it until the signal aborts. */
export async function runOperatorWith(given: OperatorArguments, surroundings: Surroundings): Promise<void> {
  const { mode, protocol, namespace, ...others } = given;
  const features = await featuresOf(mode, surroundings.client, surroundings.signal);
  await runOperator({
    ...surroundings,
    ...others,
    protocol,
    namespace,
    version,
    agentServiceAccount,
    agentArguments: [
      ...(namespace === tuningNamespace ? [] : ["--namespace", namespace]),
      ...(protocol === "documented" ? [] : ["--protocol", protocol]),
    ],
    ...(features ? { features } : {}),
  });
}

/** What the cluster is taken to have; nothing where that is to be found out. */
async function featuresOf(
  mode: OperatorMode,
  client: Client,
  signal: AbortSignal,
): Promise<ClusterFeatures | undefined> {
  if (mode === "auto") return undefined;
  if (mode === "plain") return plain;
  const features = await clusterFeatures(client, signal);
  if (!features.machineConfigPools)
    throw new Error("--mode standalone: the cluster has no MachineConfigPools; attune crds prints their definitions");
  return features;
}
