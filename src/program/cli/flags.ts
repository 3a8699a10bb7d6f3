import { tuningNamespace } from "../../domain/node-tuning/api.ts";
import { defaultUtilsImage } from "../../domain/scylla/names.ts";
import { certificateFolder } from "../console/names.ts";
import { systemNamespace } from "../operator/names.ts";
import { partitioningModes } from "../../domain/workload-partitioning/identifier.ts";
import { tokenPath } from "../../domain/rollout/first-boot/token-file.ts";
import { webhookName } from "../webhook/names.ts";
import { imageReference } from "./option/image-reference.ts";
import { choice, list, maybe, oneOf, parsed, text, toggle } from "./option/flag.ts";
import {
  addressFlag,
  agentMountsFlag,
  connectionFlags,
  duration,
  engineFlag,
  execFlag,
  execPolicyFlag,
  logFlags,
  manifestFlags,
  modeFlag,
  modeOrHostedFlag,
  nodeCount,
  outputFlag,
  partitioningReleaseFlag,
  portFlag,
  probeAddressFlag,
  protocolFlag,
  replicaCount,
  rootFlag,
  secureUrl,
} from "./option/shared-flags.ts";
import { defaultImage } from "../version.ts";

/**
 * One table of flags for each command: what help prints, and what the command line and the `args` of a container are
 * read by. `main.ts` loads this file for every command, so it imports nothing large.
 */

export const upFlags = {
  mode: maybe(
    "--mode <mode>",
    "hosted (a management cluster and a hosted one), standalone, or plain (one cluster without any part of OpenShift, whose pools Attune rolls out)",
    {
      of: ["hosted", "standalone", "plain"],
      shownDefault: "that of the example, or hosted; with --topology plain",
    },
  ),
  example: maybe(
    "--example <name>",
    "what a new directory gets: none, hosted, or one of the folder examples with its nodes: tuned, performance, partitioning or scylla",
    {
      of: ["none", "tuned", "performance", "partitioning", "scylla", "hosted"],
      shownDefault: "a small one of the mode",
    },
  ),
  nodes: parsed("--nodes <n>", "number of virtual nodes", nodeCount, { shownDefault: "2, with --mode standalone 1" }),
  topology: text(
    "--topology <file>",
    "YAML file with groups of nodes, their hardware and pools, as attune lab reads it; with --mode hosted pools are NodePools",
  ),
  dir: text("--dir <dir>", "state directory", {
    shownDefault: "$XDG_STATE_HOME/attune/<mode or example>, with --topology <mode>-topology",
  }),
  port: portFlag(
    "--port <port>",
    "port of the API server, with --mode hosted that of the management cluster; 0 picks a free one",
    "0",
  ),
  once: toggle("--once", "exit when the nodes have converged; exit code 1 if they do not"),
  console: toggle("--no-console", "serve no console"),
  ...logFlags("warn"),
};

/** Hosted control planes have two clusters. */
const contextsFlag = list(
  "--context <name>",
  "context of the kubeconfig to use; of hosted control planes, once for each cluster",
);

export const consoleFlags = {
  ...connectionFlags,
  context: contextsFlag,
  port: portFlag("--port <port>", "port of the console on 127.0.0.1; 0 picks a free one", "0"),
  dir: text("--dir <dir>", "state directory of the console, or of the attune up whose console --url is for", {
    shownDefault: "$XDG_STATE_HOME/attune/console",
  }),
  url: toggle("--url", "print a new address of the console that runs, and exit"),
  allowedHost: list(
    "--allowed-host <host>",
    "another name by which browsers reach it, with its port unless that is the usual one; may be repeated",
  ),
  inCluster: toggle(
    "--in-cluster",
    "in a pod: serve users of its cluster over TLS, who sign in with tokens of their own; attune install --console runs it so",
  ),
  certificates: text(
    "--certificates <dir>",
    "with --in-cluster: directory of tls.crt and tls.key, read again when they change; without them it makes its own",
    { default: certificateFolder },
  ),
  ...logFlags("warn"),
};

export const apiserverFlags = {
  dir: text("--dir <dir>", "state directory; the kubeconfig is written there", { required: true }),
  port: portFlag("--port <port>", "port to listen on; 0 picks a free one", "0"),
  fsync: toggle("--fsync", "sync every write to disk, so that acknowledged writes survive a power loss"),
  ...logFlags("warn"),
};

/** Also allowed in the `args` of a container on a virtual node. */
const scyllaUtilsImageFlag = parsed(
  "--scylla-utils-image <image>",
  "Scylla image whose scripts tune nodes, for a new ScyllaOperatorConfig",
  imageReference,
  { default: defaultUtilsImage },
);

export const operatorFlags = {
  mode: modeOrHostedFlag(
    "auto (use the OpenShift kinds that the cluster has; hosted with HYPERSHIFT=true), standalone (require MachineConfigPools), plain (use nothing of OpenShift, and roll pools out itself), tuning (no machine configuration) or hosted (Tuneds come from a management cluster)",
  ),
  controlPlaneNamespace: text(
    "--control-plane-namespace <name>",
    "with --mode hosted: namespace of the hosted control plane in the management cluster",
    { env: "MY_NAMESPACE" },
  ),
  namespace: text("-n, --namespace <name>", "namespace of Tuneds and Profiles", {
    env: "WATCH_NAMESPACE",
    default: tuningNamespace,
  }),
  image: parsed("--image <image>", "container image of the agents, by tag or digest", imageReference, {
    env: "CLUSTER_NODE_TUNED_IMAGE",
    default: defaultImage,
  }),
  protocol: protocolFlag,
  agentExec: execPolicyFlag("--agent-exec <policy>"),
  agentMounts: agentMountsFlag,
  probeAddress: probeAddressFlag,
  metricsAddress: addressFlag("--metrics-address <host:port>", "address on which to serve /metrics alone"),
  metricsCertificates: text(
    "--metrics-certificates <dir>",
    "directory of tls.crt and tls.key for --metrics-address, read again when they change; without them it serves plain HTTP",
  ),
  leaderElection: toggle("--no-leader-election", "do not wait for the leader election Lease"),
  firstBootAddress: addressFlag(
    "--first-boot-address <host:port>",
    "where it rolls pools out: address on which to serve their configs to machines before they are nodes",
  ),
  firstBootServer: parsed(
    "--first-boot-server <url>",
    "URL at which such machines reach --first-boot-address",
    secureUrl,
    { shownDefault: "on this machine" },
  ),
  scyllaUtilsImage: scyllaUtilsImageFlag,
  ...logFlags("info"),
};
export const operatorCommandFlags = {
  ...operatorFlags,
  ...connectionFlags,
  managementKubeconfig: text(
    "--management-kubeconfig <file>",
    "with --mode hosted: path of the kubeconfig of the management cluster",
    { shownDefault: "the cluster of this pod" },
  ),
};

/** Also allowed in the `args` of a container on a virtual node. */
export const managementFlags = {
  namespace: text("-n, --namespace <name>", "namespace of its leader election Lease", { default: systemNamespace }),
  image: parsed(
    "--image <image>",
    "container image of the operators of hosted clusters and of their agents, by tag or digest",
    imageReference,
    { default: defaultImage },
  ),
  machineProvider: choice(
    "--machine-provider <provider>",
    "what makes machines of NodePools: auto (Cluster API where the cluster has it), cluster-api, or none",
    { of: ["auto", "cluster-api", "none"], default: "auto" },
  ),
  protocol: choice(
    "--protocol <protocol>",
    "names and keys of ConfigMaps, conditions of NodePools, and how agents report boot arguments: documented, or shipped (as the operator that OpenShift ships has them)",
    { of: ["documented", "shipped"], default: "documented" },
  ),
  probeAddress: probeAddressFlag,
  leaderElection: toggle("--no-leader-election", "do not wait for the leader election Lease"),
  ...logFlags("info"),
};
export const managementCommandFlags = { ...managementFlags, ...connectionFlags };

/** Also allowed in the `args` of a container on a virtual node. */
export const agentFlags = {
  node: text("--node <name>", "name of the node", { env: "NODE_NAME" }),
  root: rootFlag,
  engine: engineFlag,
  exec: execPolicyFlag("--exec <policy>"),
  bootArguments: choice(
    "--boot-arguments <how>",
    "apply (write them to the boot loader) or report (only report them: the cluster's MachineConfigs carry them)",
    { of: ["apply", "report"], default: "apply" },
  ),
  machineConfig: toggle(
    "--machine-config",
    "bring the rendered MachineConfig to the node that the operator assigns to it; set by the operator where no machine config operator does",
  ),
  namespace: text("-n, --namespace <name>", "namespace of the Profiles", { default: tuningNamespace }),
  protocol: protocolFlag,
  resyncInterval: parsed("--resync-interval <duration>", "how often to check the node for drift", duration, {
    default: "10m",
  }),
  rollbackOnExit: toggle(
    "--rollback-on-exit",
    "restore the original values on every exit, not only when the node is no longer managed",
  ),
  probeAddress: addressFlag("--probe-address <host:port>", "address on which to serve /healthz and /readyz"),
  ...logFlags("info"),
};
export const agentCommandFlags = {
  ...agentFlags,
  ...connectionFlags,
  oneShot: toggle(
    "--one-shot",
    "apply the profile that was applied before the node restarted, and exit; uses no cluster",
  ),
  sysinfo: text(
    "--sysinfo <file>",
    "write a snapshot of the node's hardware to a file (- for standard output), and exit; uses no cluster",
  ),
  read: toggle(
    "--read",
    "print each setting of the node's Profile with the value that the node has now, as JSON, and exit; changes nothing",
  ),
  firstBoot: toggle(
    "--first-boot",
    "before the machine is a node: get the config of its pool from the operator, apply it, and exit; uses only --token-file",
  ),
  tokenFile: text("--token-file <file>", "with --first-boot: what attune node-token has printed", {
    default: tokenPath,
  }),
  firstBootTimeout: parsed(
    "--first-boot-timeout <duration>",
    "with --first-boot: how long to wait for the operator",
    duration,
    { default: "10m" },
  ),
  printUnit: toggle(
    "--print-unit",
    "with --first-boot: print a systemd unit that runs it before the kubelet, and exit",
  ),
};

/** Also allowed in the `args` of a container on a virtual node. */
export const scyllaAgentFlags = {
  node: text("--node <name>", "name of the node", { env: "NODE_NAME" }),
  config: text("--config <name>", "name of its ScyllaNodeConfig", { required: true }),
  root: rootFlag,
  image: parsed(
    "--image <image>",
    "container image of tuning Jobs of the engine native, by tag or digest",
    imageReference,
    {
      env: "CLUSTER_NODE_TUNED_IMAGE",
      default: defaultImage,
    },
  ),
  utilsImage: parsed("--utils-image <image>", "Scylla image of tuning Jobs of the engine perftune", imageReference, {
    default: defaultUtilsImage,
  }),
  runtimeEndpoint: list(
    "--runtime-endpoint <socket>",
    "socket of the container runtime, as the node sees it; may be repeated: the first that answers is used; without it those of containerd, CRI-O and cri-dockerd are tried",
  ),
  probeAddress: addressFlag("--probe-address <host:port>", "address on which to serve /healthz and /readyz"),
  ...logFlags("info"),
};
export const scyllaAgentCommandFlags = { ...scyllaAgentFlags, ...connectionFlags };

/** Also allowed in the `args` of a container on a virtual node. */
export const scyllaGateFlags = {
  folder: text("--folder <dir>", "the volume that it shares with the database", { required: true }),
  podName: text("--pod-name <name>", "name of its pod", { env: "POD_NAME" }),
  podNamespace: text("--pod-namespace <name>", "namespace of its pod", { env: "POD_NAMESPACE" }),
  podUid: text("--pod-uid <uid>", "uid of its pod", { env: "POD_UID" }),
  timeout: parsed("--timeout <duration>", "how long the database waits before it starts without tuning", duration, {
    shownDefault: "for ever",
  }),
};
export const scyllaGateCommandFlags = { ...scyllaGateFlags, ...connectionFlags };

export const nodeTokenFlags = {
  ...connectionFlags,
  pool: text("--pool <name>", "MachineConfigPool that the node will be in", { default: "worker" }),
  server: parsed("--server <url>", "URL of the endpoint for first boots", secureUrl, {
    shownDefault: "the one that the operator publishes",
  }),
  ttl: parsed("--ttl <duration>", "how long the token is valid: 10m to 24h", duration, { default: "1h" }),
};

export const crdsFlags = { output: outputFlag(["yaml", "json"], "yaml or json") };

export const installFlags = {
  kubeconfig: text("--kubeconfig <file>", "adapt the manifests to the cluster of this kubeconfig", {
    shownDefault: "no cluster is read; with --apply, as kubectl",
  }),
  context: connectionFlags.context,
  apply: toggle("--apply", "apply the manifests with server-side apply instead of printing them"),
  dryRun: toggle("--dry-run", "with --apply: ask the API server for a dry run, which changes nothing"),
  namespace: text("-n, --namespace <name>", "namespace of operator and webhook", { default: systemNamespace }),
  image: parsed(
    "--image <image>",
    "container image of operator, webhook and agents, by tag or digest",
    imageReference,
    {
      default: defaultImage,
    },
  ),
  mode: modeOrHostedFlag(
    "auto, standalone or plain (both also install the CRDs of machine configuration), tuning (no rights on it), or hosted (the management side of hosted control planes, instead of operator and webhook)",
  ),
  protocol: protocolFlag,
  partitioning: parsed(
    "--partitioning <mode>",
    "AllNodes: the nodes of the new cluster are set up for workload partitioning, which cannot be changed later; None: they are not",
    (mode, name) => oneOf(partitioningModes, mode, name),
    { shownDefault: "as the cluster is" },
  ),
  partitioningRelease: partitioningReleaseFlag,
  agentExec: execPolicyFlag("--agent-exec <policy>"),
  agentMounts: agentMountsFlag,
  firstBoot: parsed(
    "--first-boot <url>",
    "serve configs of pools to machines before they are nodes, which reach node port 30623 of the cluster at this URL",
    secureUrl,
  ),
  scylla: toggle("--scylla", "include what tunes nodes of Scylla databases: CRDs, namespace and rights"),
  console: toggle("--console", "include the console: a Deployment whose users sign in with tokens of their own"),
  scyllaUtilsImage: scyllaUtilsImageFlag,
  replicas: parsed("--replicas <n>", "replicas of operator and webhook", replicaCount, { default: "2" }),
  monitoring: toggle(
    "--monitoring",
    "include ServiceMonitor and PrometheusRule even if the cluster is not known to have these kinds",
  ),
  chart: text(
    "--chart <dir>",
    "write a Helm chart of the manifests to this folder instead of printing them; other flags become its default values",
  ),
  ...crdsFlags,
};

export const uninstallFlags = {
  ...connectionFlags,
  namespace: text("-n, --namespace <name>", "namespace of operator and webhook", { default: systemNamespace }),
  dryRun: toggle("--dry-run", "ask the API server for a dry run, which changes nothing"),
  crds: toggle("--crds", "also delete CRDs that users have objects of, and with them these objects"),
  timeout: parsed("--timeout <duration>", "how long to wait for nodes, and then for deletions", duration, {
    default: "5m",
  }),
  output: outputFlag(["text", "json", "yaml"], "text, json or yaml"),
};

export const takeOverFlags = {
  ...connectionFlags,
  namespace: text("-n, --namespace <name>", "namespace of the operator of Attune", { default: systemNamespace }),
  apply: toggle("--apply", "carry out the steps instead of printing them"),
  undo: toggle("--undo", "hand back to the operator that the cluster ships"),
};

/** Also allowed in the `args` of a container on a virtual node. */
export const webhookFlags = {
  register: parsed(
    "--register <how>",
    "how API servers reach the webhook: url or service",
    (how, name) => oneOf(["url", "service"], how, name),
    { required: true },
  ),
  mode: modeFlag(
    "tuning reads no objects of machine configuration, plain none of OpenShift; auto and standalone do where the cluster has them",
  ),
  partitioningRelease: partitioningReleaseFlag,
  host: text("--host <address>", "address to listen on", { default: "127.0.0.1" }),
  port: portFlag("--port <port>", "port to listen on; 0 picks a free one", "0"),
  advertise: text("--advertise <host>", "with --register url: host name or address in the URL", {
    shownDefault: "--host",
  }),
  namespace: text("-n, --namespace <name>", "namespace of the webhook's Secret and Service", {
    default: systemNamespace,
  }),
  scyllaGateImage: parsed(
    "--scylla-gate-image <image>",
    "container image of the start gates of Scylla databases, by tag or digest; without it they get none",
    imageReference,
  ),
  service: text("--service <name>", "with --register service: name of the Service", { default: webhookName }),
  servicePort: portFlag("--service-port <port>", "with --register service: port of the Service", "443"),
  probeAddress: probeAddressFlag,
  ...logFlags("info"),
};
export const webhookCommandFlags = { ...webhookFlags, ...connectionFlags };

export const labFlags = {
  ...connectionFlags,
  nodes: parsed("--nodes <n>", "number of nodes with the smallest hardware", nodeCount),
  topology: text("--topology <file>", "YAML file with groups of nodes and their hardware"),
  namePrefix: text("--name-prefix <prefix>", "with --nodes: how node names begin", { default: "node-" }),
  workloads: toggle("--no-workloads", "run no scheduler and no workload controllers"),
  firstBoot: text(
    "--first-boot <pool>",
    "nodes get the config of this pool before they join; the operator must serve first boots",
  ),
  cleanup: toggle("--cleanup", "delete the nodes on exit; without it they stay and become NotReady"),
  ...logFlags("warn"),
};

export const statusFlags = {
  ...connectionFlags,
  namespace: text("-n, --namespace <name>", "namespace of Tuneds and Profiles", { default: tuningNamespace }),
  systemNamespace: text("--system-namespace <name>", "namespace of operator and webhook", { default: systemNamespace }),
  watch: toggle("-w, --watch", "show it again after each change, until Ctrl-C"),
  by: choice("--by <field>", "by what more than 20 nodes are grouped: pool, profile or state", {
    of: ["pool", "profile", "state"],
    default: "pool",
  }),
  output: outputFlag(["table", "wide", "json", "yaml"], "table, wide (every node by name), json or yaml"),
};

export const supportBundleFlags = {
  ...connectionFlags,
  context: contextsFlag,
  namespace: text("-n, --namespace <name>", "namespace of Tuneds and Profiles", { default: tuningNamespace }),
  systemNamespace: text("--system-namespace <name>", "namespace of operator and webhook", { default: systemNamespace }),
  file: text("--file <file>", "the archive to write; it must not exist", {
    shownDefault: "attune-support-<time>.tar.gz",
  }),
};

export const versionFlags = { output: outputFlag(["text", "json", "yaml"], "text, json or yaml") };

export const labReadFlags = { ...connectionFlags };

export const planFlags = {
  filename: list(
    "-f, --filename <file...>",
    "files, folders or http(s) addresses of manifests, - for standard input; may be repeated",
  ),
  kustomize: text("-k, --kustomize <dir>", "folder with a kustomization, which kubectl builds; instead of -f"),
  recursive: manifestFlags.recursive,
  delete: toggle("--delete", "show what deleting the objects would change, instead of applying them"),
  ...connectionFlags,
  namespace: text("-n, --namespace <name>", "namespace of objects that have none", {
    shownDefault: "namespace of the context",
  }),
  output: outputFlag(["table", "wide", "json", "yaml"], "table, wide (every node by name), json or yaml"),
};

export const explainFlags = {
  ...connectionFlags,
  namespace: text(
    "-n, --namespace <name>",
    `namespace of the pod (default: of the context), or of Tuneds and Profiles (default: ${tuningNamespace})`,
  ),
  root: text("--root <dir>", "where the node's root file system is mounted: also show the values it has"),
  exec: execFlag,
  output: outputFlag(["table", "wide", "json", "yaml"], "table, wide (also disabled units), json or yaml"),
};
