import type { KubeObject } from "../../../../language/object/meta.ts";
import { decodeObject } from "../../storage/object-codec.ts";
import type { Change, Entry } from "../../storage/store.ts";
import { NodeGraph } from "./node-graph.ts";

/** What of the store the graph is built from. */
export interface Commits {
  list(collection: string): Iterable<Entry>;
  watch(collection: string, onChanges: (changes: readonly Change[]) => void): () => void;
}

/** The node graph of a store: built at the first query, then updated with every commit. */
export class NodeRelations {
  readonly #commits: Commits;
  #graph: NodeGraph | undefined;

  constructor(commits: Commits) {
    this.#commits = commits;
  }

  relates(...question: Parameters<NodeGraph["relates"]>): boolean {
    this.#graph ??= this.#follow();
    return this.#graph.relates(...question);
  }

  #follow(): NodeGraph {
    const graph = new NodeGraph();
    for (const entry of this.#commits.list("pods")) graph.setPod(entry.key, decoded(entry));
    for (const entry of this.#commits.list("persistentvolumes")) graph.setVolume(entry.key, decoded(entry));
    this.#commits.watch("pods", (changes) => {
      for (const { key, before, after } of changes) {
        if (!after) graph.removePod(key);
        // The node and the references of a bound pod are immutable: status updates are not even parsed.
        else if (!before || !graph.hasPod(key)) graph.setPod(key, decoded(after));
      }
    });
    this.#commits.watch("persistentvolumes", (changes) => {
      for (const { key, after } of changes)
        if (after) graph.setVolume(key, decoded(after));
        else graph.removeVolume(key);
    });
    return graph;
  }
}

/** Not through the shared StoreReader, which would cache every pod. */
const decoded = (entry: Entry): KubeObject => decodeObject(entry.bytes);
