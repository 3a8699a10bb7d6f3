import { type DerivationInput, mixesCpus } from "../derivation.ts";
import { runtimeHandler } from "../names.ts";

export const runtimesPath = "/etc/crio/crio.conf.d/99-runtimes.conf";

/** Annotations that pods of the runtime class may have. */
const annotations = [
  "cpu-load-balancing.crio.io",
  "cpu-quota.crio.io",
  "irq-load-balancing.crio.io",
  "cpu-c-states.crio.io",
  "cpu-freq-governor.crio.io",
];
const sharedCpus = "cpu-shared.crio.io";

/** Go programs start as many threads as they see CPUs, which is too few with one reserved CPU. */
const fewestGoThreads = 4;

/** Configuration of CRI-O: the CPUs of infrastructure containers, and the profile's runtime class. TOML. */
export function crioRuntimes(input: DerivationInput): string {
  const { cpus, execAffinity } = input.facts;
  const mixed = mixesCpus(input);
  const lines = [
    "[crio.runtime]",
    `infra_ctr_cpuset = ${quoted(cpus.reserved.text)}`,
    mixed && `shared_cpuset = ${quoted(cpus.shared?.text ?? "")}`,
    `min_injected_gomaxprocs = ${fewestGoThreads}`,
    "",
    `[crio.runtime.runtimes.${runtimeHandler}]`,
    "inherit_default_runtime = true",
    execAffinity && 'exec_cpu_affinity = "first"',
    // A cgroup below that of systemd, where CRI-O may change values that systemd would restore.
    'default_annotations = {"run.oci.systemd.subgroup" = ""}',
    `allowed_annotations = [${[...annotations, ...(mixed ? [sharedCpus] : [])].map(quoted).join(", ")}]`,
  ];
  return `${lines.filter((line) => line !== false).join("\n")}\n`;
}

/** Every JSON string is a TOML string. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
