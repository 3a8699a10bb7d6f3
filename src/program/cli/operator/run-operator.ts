import { agentServiceAccount } from "../../agent/rbac.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import {
  type ClusterFeatures,
  clusterFeatures,
  tuningOnly,
  withoutOpenShift,
} from "../../operator/cluster-features.ts";
import type { ControlPlanePlace } from "../../operator/hosted-parts.ts";
import { type OperatorOptions, runOperator } from "../../operator/operator.ts";
import type { operatorFlags } from "../flags.ts";
import type { Environment, Values } from "../option/flag.ts";
import type { OperatorMode } from "../option/shared-flags.ts";
import { version } from "../../version.ts";

interface Surroundings extends Pick<OperatorOptions, "client" | "signal" | "log" | "metrics" | "print"> {
  /** Of the management cluster, with --mode hosted. */
  readonly management?: Client | undefined;
}

/** As the manifests of the operator that Attune replaces tell it. */
export function isHosted({ mode }: Pick<Values<typeof operatorFlags>, "mode">, env: Environment): boolean {
  return mode === "hosted" || (mode === "auto" && env["HYPERSHIFT"] === "true");
}

/** Runs the operator with these flags until the signal aborts. `env`: that of its process or container. */
export async function runOperatorWith(
  flags: Values<typeof operatorFlags>,
  env: Environment,
  { management, ...surroundings }: Surroundings,
): Promise<void> {
  const mode = isHosted(flags, env) ? "hosted" : flags.mode;
  const { protocol, namespace, image, agentExec, agentMounts, leaderElection, probeAddress } = flags;
  const { metricsAddress, metricsCertificates, firstBootAddress, firstBootServer, scyllaUtilsImage } = flags;
  await runOperator({
    ...surroundings,
    image,
    scyllaUtilsImage,
    leaderElection,
    probeAddress,
    metricsAddress,
    metricsCertificates: metricsCertificates || undefined,
    firstBoot: firstBootAddress === undefined ? undefined : { address: firstBootAddress, server: firstBootServer },
    // The shipped operator reads the version of its payload there.
    release: env["RELEASE_VERSION"] ?? "",
    nodeName: env["NODE_NAME"],
    protocol,
    namespace,
    version,
    agentServiceAccount,
    agentMounts,
    agentArguments: [
      ...(namespace === tuningNamespace ? [] : ["--namespace", namespace]),
      ...(protocol === "documented" ? [] : ["--protocol", protocol]),
      ...(agentExec === "allow" ? [] : ["--exec", agentExec]),
    ],
    controlPlane: mode === "hosted" ? controlPlaneOf(flags, management) : undefined,
    features: await featuresOf(mode === "hosted" ? "auto" : mode, surroundings.client, surroundings.signal),
  });
}

function controlPlaneOf(
  { controlPlaneNamespace: namespace }: Values<typeof operatorFlags>,
  client: Client | undefined,
): ControlPlanePlace {
  if (namespace === undefined) throw new Error("--mode hosted: needs --control-plane-namespace or $MY_NAMESPACE");
  if (!client) throw new Error("--mode hosted: needs the management cluster, which this program cannot reach");
  return { client, namespace };
}

/** The features that the mode decides; undefined where the operator is to detect them. */
export async function featuresOf(
  mode: OperatorMode,
  client: Client,
  signal: AbortSignal,
): Promise<ClusterFeatures | undefined> {
  // Also where the operator detects them itself: this fails if the API server cannot be reached, a watch goes on trying.
  const features = await clusterFeatures(client, signal, mode !== "tuning");
  if (mode === "auto") return undefined;
  if (mode === "tuning") return { ...features, ...tuningOnly };
  if (!features.machineConfigPools)
    throw new Error(`--mode ${mode}: the cluster has no MachineConfigPools; attune crds prints their definitions`);
  if (mode === "standalone") return features;
  if (features.machineConfigOperator)
    throw new Error("--mode plain: a Machine Config Operator rolls the pools of this cluster out; use --mode auto");
  return withoutOpenShift(features);
}
