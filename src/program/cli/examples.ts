/** A use of a command that its help shows. */
export interface Example {
  /** What it is for, without a period. */
  readonly about: string;
  readonly line: string;
}

/** By command: a line for each use, after what it is for. The lines are read by a test as the command line reads them. */
const examples: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  up: {
    "Two clusters, two virtual nodes and an example": "attune up",
    "One cluster without any part of OpenShift, with four nodes": "attune up --mode plain --nodes 4",
    "A Scylla database whose node is tuned for it": "attune up --example scylla",
    "Whether it converges, for scripts": "attune up --mode standalone --once",
  },
  console: {
    "Look at the cluster of the current context": "attune console",
    "Both clusters of hosted control planes": "attune console --context hosted --context management",
    "A new address of the console that runs": "attune console --url",
  },
  apiserver: { "An API server whose objects are kept in a folder": "attune apiserver --dir ./server --port 6443" },
  operator: { "Run the operator on this machine": "attune operator --kubeconfig ./kubeconfig --probe-address :8080" },
  management: { "Run the management side on this machine": "attune management --kubeconfig ./kubeconfig" },
  agent: {
    "Tune this machine as the node worker-1": "attune agent --node worker-1 --kubeconfig ./kubeconfig",
    "Write down the hardware of this machine": "attune agent --sysinfo worker-1.tar.gz",
    "The unit that brings a machine its config before it is a node": "attune agent --first-boot --print-unit",
  },
  "scylla-agent": { "Tune this machine for the databases on it": "attune scylla-agent --node db-1 --config cluster" },
  "scylla-gate": { "As the sidecar of a database": "attune scylla-gate --folder /run/attune --timeout 30m" },
  "node-token": { "Let worker-7 get its config for the next two hours": "attune node-token worker-7 --ttl 2h" },
  install: {
    "Look at what would be installed, adapted to a cluster": "attune install --kubeconfig ./kubeconfig",
    "Install, from a registry of your own": "attune install --apply --image registry.example.com/attune:0.1.0",
    "Write a Helm chart": "attune install --chart ./chart",
  },
  uninstall: {
    "What would be deleted": "attune uninstall --dry-run",
    "Delete the CRDs and all objects of users, too": "attune uninstall --crds",
  },
  "take-over": {
    "The steps, to read": "attune take-over",
    "Carry them out": "attune take-over --apply",
    "Hand back": "attune take-over --undo --apply",
  },
  crds: { "Apply the definitions alone": "attune crds | kubectl apply --server-side -f -" },
  webhook: { "Run the webhook on this machine": "attune webhook --register url --kubeconfig ./kubeconfig" },
  lab: {
    "Three small nodes": "attune lab --kubeconfig ./kubeconfig --nodes 3",
    "Nodes with the hardware of a file, which are deleted on exit":
      "attune lab --kubeconfig ./kubeconfig --topology nodes.yaml --cleanup",
  },
  "lab read": {
    "A value of a virtual node": "attune lab read node-1 /proc/sys/vm/swappiness",
    "The names in a folder": "attune lab read node-1 /etc/sysctl.d",
  },
  status: {
    "Is anything wrong": "attune status",
    "Follow it": "attune status -w",
    "Every node by name, by state": "attune status -o wide --by state",
  },
  "support-bundle": {
    "To look at before you pass it on": "attune support-bundle --file bundle.tar.gz",
    "Both sides of hosted control planes": "attune support-bundle --context management --context hosted",
  },
  plan: {
    "What applying a file would change": "attune plan -f tuned.yaml",
    "A folder and the folders in it": "attune plan -R -f manifests/",
    "What deleting it would change": "attune plan --delete -f tuned.yaml",
    "A kustomization": "attune plan -k overlays/production",
    "What comes from another program": "helm template ./chart | attune plan -f -",
  },
  explain: {
    "Why a node has its profile": "attune explain node worker-1",
    "Where one value comes from": "attune explain node worker-1 vm.swappiness",
    "Which nodes a Tuned reaches, and why not the others": "attune explain tuned quiet-memory",
    "Which rule of admission changed a pod": "attune explain pod dns-1 -n dns",
  },
  perftune: {
    "What it would write": "attune perftune --tune net --tune system --nic eth0 --dry-run",
    "Tune the network card, and keep interrupts on CPUs 0-3":
      "attune perftune --tune net --nic eth0 --irq-cpu-mask 0xf",
    "Give back what was before": "attune perftune --undo",
  },
  version: { "For scripts": "attune version -o json" },
  completion: {
    "In ~/.bashrc": "source <(attune completion bash)",
    "In fish": "attune completion fish | source",
  },
  man: { "For man attune-plan": "attune man ~/.local/share/man/man1" },
  "profile create": {
    "From a cluster": "attune profile create --mcp-name worker-cnf --reserved-cpu-count 4 --rt-kernel=false",
    "From snapshots of nodes":
      "attune profile create --snapshot worker-1=worker-1.tar.gz --reserved-cpu-count 4 --rt-kernel=true",
  },
  "profile info": { "The pools of a cluster": "attune profile info --kubeconfig ./kubeconfig" },
  "profile check": { "All profiles of a folder": "attune profile check -f profiles/" },
  render: {
    "For an installer": "attune render --asset-input-dir ./manifests --asset-output-dir ./out",
    "With the mode of CPU partitioning of an install-config.yaml":
      "attune render --asset-input-dir ./manifests --asset-output-dir ./out --install-config install-config.yaml",
  },
  "render-bootcmd-mc": {
    "Boot arguments of a pool":
      "attune render-bootcmd-mc --asset-input-dir ./manifests --asset-output-dir ./out --mcp-name worker-cnf",
  },
  "tuned list": { "Hidden profiles, too": "attune tuned list -o wide" },
  "tuned recommend": { "For this host": "attune tuned recommend" },
  "tuned active": { "What is in force": "attune tuned active" },
  "tuned show": { "A profile and those that it includes": "attune tuned show network-latency" },
  "tuned resolve": {
    "What a profile sets here, and which line says so": "attune tuned resolve network-latency",
    "With a folder of your own profiles": "attune tuned resolve my-profile --dir ./profiles",
  },
  "tuned apply": {
    "Apply a profile": "attune tuned apply network-latency",
    "On a system that is mounted": "attune tuned apply network-latency --root /mnt/sysroot",
  },
  "tuned verify": { "What differs": "attune tuned verify network-latency" },
  "tuned rollback": { "Restore what was before the first profile": "attune tuned rollback" },
};

/** `command`: without `attune`. */
export function examplesOf(command: string): readonly Example[] {
  return Object.entries(examples[command] ?? {}).map(([about, line]) => ({ about, line }));
}

/** The part of the help after the flags. */
export function examplesText(command: string): string {
  const found = examplesOf(command);
  if (found.length === 0) return "";
  return `\nExamples:\n${found.map(({ about, line }) => `  # ${about}\n  ${line}\n`).join("\n")}`;
}
