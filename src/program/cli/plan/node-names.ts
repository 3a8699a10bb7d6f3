import { printable } from "../terminal/terminal.ts";

/** How much of a plan is shown. */
export interface Limits {
  /** Nodes that are shown by name, and reasons to wait. */
  readonly most: number;
  /** Changes of files and units of a node. */
  readonly changes: number;
  readonly columns: number | undefined;
}

export function nodeNames(nodes: readonly string[], most: number): string {
  return `${nodes.length === 1 ? "Node" : "Nodes"} ${namesText(nodes, most)}`;
}

/** `a, b, c and 7 more` */
export function namesText(nodes: readonly string[], most: number): string {
  // "and 1 more" would be no shorter than the name.
  const shown = nodes.length <= most + 1 ? nodes : nodes.slice(0, most);
  const more = nodes.length - shown.length;
  return `${printable(shown.join(", "))}${more > 0 ? ` and ${more} more` : ""}`;
}
