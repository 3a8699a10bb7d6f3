import type { NodeAbout, NodeCpus, NodeFleetRow, NodePart, NodeSetting } from "../../protocol/node.ts";

/** The parts of the topic `node/NAME`, put together. Parts that the user may not see are absent. */
export interface NodeData {
  readonly row?: NodeFleetRow | undefined;
  readonly about?: NodeAbout | undefined;
  readonly rules?: NodePart["rules"];
  readonly chain: NonNullable<NodePart["chain"]>;
  readonly boot?: NodePart["boot"];
  readonly cpus?: NodeCpus | undefined;
  /** In the order of the profiles. */
  readonly settings: readonly NodeSetting[];
  /** Of profiles, by file. */
  readonly texts: ReadonlyMap<string, string>;
}

const textKey = "text/";

export function nodeData(rows: ReadonlyMap<string, NodePart>): NodeData {
  const texts = [...rows].flatMap(([key, { text }]): [string, string][] =>
    text !== undefined && key.startsWith(textKey) ? [[key.slice(textKey.length), text]] : [],
  );
  const settings = [...rows.values()].flatMap(({ setting }) => setting ?? []);
  return {
    row: rows.get("row")?.row,
    about: rows.get("about")?.about,
    rules: rows.get("rules")?.rules,
    chain: rows.get("chain")?.chain ?? [],
    boot: rows.get("boot")?.boot,
    cpus: rows.get("cpus")?.cpus,
    settings: settings.toSorted((a, b) => a.at - b.at),
    texts: new Map(texts),
  };
}
