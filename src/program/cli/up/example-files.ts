import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "../../../language/object/meta.ts";
import { readManifests } from "../../manifest/read-manifests.ts";
import { type ExampleName, examples } from "./examples.ts";

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
