import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "../../../language/object/meta.ts";
import { readManifests } from "../../manifest/read-manifests.ts";

/** What `attune up --example NAME` creates, beside the one of each mode. */
export interface Example {
  readonly mode: "standalone" | "plain";
  /** What the system has besides. */
  readonly with?: "partitioning" | "scylla";
  /** In the order in which they are created. */
  readonly files: readonly string[];
  /** What it does, and what to look at: lines for a terminal of 80 columns. */
  readonly text: readonly string[];
}

export const examples = {
  tuned: {
    mode: "standalone",
    files: ["tuned.yaml"],
    text: [
      "Tuned database sets two sysctls on the nodes with the label",
      "example.com/database",
      "look at it: attune explain node db-1 vm.swappiness",
    ],
  },
  performance: {
    mode: "plain",
    files: ["pool.yaml", "performance-profile.yaml"],
    text: [
      "PerformanceProfile low-latency reserves the first core of each",
      "socket of rt-1 and rt-2 and isolates the others: one restart each",
      "look at it: attune explain node rt-1",
    ],
  },
  partitioning: {
    mode: "plain",
    with: "partitioning",
    files: ["performance-profile.yaml", "workloads.yaml"],
    text: [
      "pods of DaemonSet monitor run on the reserved CPUs 0 and 1; those of",
      "DaemonSet application have two of the others for themselves",
      "look at it: kubectl -n platform get pods, then attune explain pod",
    ],
  },
  scylla: {
    mode: "standalone",
    with: "scylla",
    files: ["scylla-node-config.yaml", "database.yaml"],
    text: [
      "the database scylla-0 waits until node db-1 is tuned for its CPUs",
      "look at it: kubectl -n db logs scylla-0 -c attune-scylla-gate",
    ],
  },
} satisfies Record<string, Example>;

export type ExampleName = keyof typeof examples;

/** The folder `examples` of this checkout. */
function folder(): string {
  let at = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(at, "examples", "README.md"))) {
    if (dirname(at) === at) throw new Error("--example: the folder examples of the checkout is missing");
    at = dirname(at);
  }
  return join(at, "examples");
}

export async function exampleObjects(name: ExampleName): Promise<KubeObject[]> {
  const paths = examples[name].files.map((file) => join(folder(), name, file));
  const { manifests, problems } = await readManifests(paths, { recursive: false, stdin: () => Promise.resolve("") });
  if (problems.length > 0) throw new Error(`--example ${name}: ${problems.join("; ")}`);
  return manifests.map(({ object }) => object);
}

export function exampleTopology(name: ExampleName): string {
  return join(folder(), name, "topology.yaml");
}
