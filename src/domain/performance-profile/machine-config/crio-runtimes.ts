import { type DerivationInput, mixesCpus } from "../derivation.ts";
import { runtimeHandler } from "../names.ts";

/** What pods of the runtime class may ask for. */
const annotations = [
  "cpu-load-balancing.crio.io",
  "cpu-quota.crio.io",
  "irq-load-balancing.crio.io",
  "cpu-c-states.crio.io",
  "cpu-freq-governor.crio.io",
];
const sharedCpus = "cpu-shared.crio.io";

/** Go programs size themselves by the CPUs they see, and would take a reserved one for a very small machine. */
const fewestGoThreads = 4;

/** CRI-O's settings: where infrastructure containers run, and what the profile's runtime class means. TOML. */
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
    // A group of its own below the pod's, where CRI-O may change what systemd would set back.
    'default_annotations = {"run.oci.systemd.subgroup" = ""}',
    `allowed_annotations = [${[...annotations, ...(mixed ? [sharedCpus] : [])].map(quoted).join(", ")}]`,
  ];
  return `${lines.filter((line) => line !== false).join("\n")}\n`;
}

/** A JSON string is a TOML string as well. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
