import type { upFlags } from "../flags.ts";
import { readTopologyFile } from "../lab/virtual-nodes.ts";
import type { Values } from "../option/flag.ts";
import { exampleObjects, exampleTopology } from "./example-files.ts";
import { type ExampleName, examples } from "./examples.ts";
import { smallExample, topologyExample } from "./hosted-example.ts";
import { twoClusters } from "./hosted-system.ts";
import type { Stage, StageOptions } from "./stage.ts";
import { ofTopology } from "./state-directory.ts";
import { oneCluster, workedNodes } from "./system.ts";
import type { OneClusterExample } from "./system.ts";

export type Wanted = Pick<Values<typeof upFlags>, "mode" | "example" | "nodes" | "topology">;

export interface ChosenStage {
  readonly mode: "hosted" | "standalone" | "plain";
  /** Of the state directory: of another example, it has other nodes. */
  readonly name: string;
  readonly start: (options: StageOptions) => Promise<Stage>;
}

/** What `attune up` runs, by its flags. */
export function chooseStage(wanted: Wanted): ChosenStage {
  const { example, topology, nodes } = wanted;
  const story = example !== undefined && example !== "none" && example !== "hosted" ? example : undefined;
  const mode =
    wanted.mode ?? (story ? examples[story].mode : topology === undefined || example === "hosted" ? "hosted" : "plain");
  refuse(wanted, story);
  const name = story ?? (topology === undefined ? mode : ofTopology(mode));
  if (mode === "hosted") {
    const created = example !== "none";
    return {
      mode,
      name,
      start: async (options) => {
        const chosen = topology === undefined ? smallExample(nodes ?? 2, created) : topologyExample(topology, created);
        return twoClusters({ ...options, example: await chosen });
      },
    };
  }
  const count = nodes ?? (mode === "standalone" ? 1 : 2);
  return {
    mode,
    name,
    start: async (options) => {
      const file = topology ?? (story && exampleTopology(story));
      const { nodes: machines, pools } =
        file === undefined ? { nodes: workedNodes(count, mode), pools: [] } : await readTopologyFile(file);
      return oneCluster({ ...options, mode, machines, pools, example: await exampleOf(wanted, story) });
    },
  };
}

function refuse({ mode, example, nodes, topology }: Wanted, story: ExampleName | undefined): void {
  if (nodes !== undefined && topology !== undefined) throw new Error("--nodes and --topology cannot be used together");
  if (nodes !== undefined && story)
    throw new Error(`--nodes and --example ${story} cannot be used together: it has nodes of its own; use --topology`);
  if (topology !== undefined && example === "hosted")
    throw new Error(
      "--topology and --example hosted cannot be used together: the example has nodes of its own; use --mode hosted",
    );
  const needed = story ? examples[story].mode : example === "hosted" ? "hosted" : undefined;
  if (mode !== undefined && needed !== undefined && mode !== needed)
    throw new Error(`--example ${example} needs --mode ${needed}`);
}

/** Undefined: the one of the mode, which is for its own nodes. */
async function exampleOf(
  { example, topology }: Wanted,
  story: ExampleName | undefined,
): Promise<OneClusterExample | undefined> {
  if (story) return { ...examples[story], objects: await exampleObjects(story) };
  return example === "none" || topology !== undefined ? { objects: [], text: [] } : undefined;
}
