import { formatRanges } from "../../../src/language/cpu/cpu-set.ts";
import { parseTopology } from "../../../src/language/cpu/topology-text.ts";
import { coresOf, onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import type { NodeSetting } from "../../protocol/node.ts";
import type { NodeData } from "./node-data.ts";
import { sourceText, stateOf, stateWords } from "./setting-words.ts";

/** What two nodes differ in. Absent: the node has nothing there. */
export interface Difference {
  /** Of a setting: its unit. */
  readonly group: string;
  readonly name: string;
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/** Facts, then settings; what is equal is left out. */
export function compareNodes(one: NodeData, other: NodeData): readonly Difference[] {
  return [...differing("", factsOf(one), factsOf(other)), ...settingDifferences(one, other)];
}

type Facts = ReadonlyMap<string, string | undefined>;

function factsOf({ row, about, rules, boot, cpus }: NodeData): Facts {
  const chosen = rules?.rules.find(({ outcome }) => outcome === "chosen");
  const topology = parseTopology(cpus?.topology);
  const sets = Object.entries(cpus?.sets ?? {}).map(([role, cpus]): [string, string] => [`CPUs ${role}`, cpus]);
  return new Map<string, string | undefined>([
    ["State", row?.state],
    ["Ready", row && (row.ready ? "yes" : "no")],
    ["Cordoned", row && (row.cordoned ? "yes" : "no")],
    ["Pool", row?.pool],
    ["Wanted profile", row?.profile],
    ["Profile in force", row?.inForce],
    ["Chosen rule", chosen && `Tuned ${chosen.tuned}, rule ${chosen.index}: ${chosen.because}`],
    ["Rendered config", about?.machineConfig?.current],
    ["Wanted config", about?.machineConfig?.desired],
    ["Boot arguments reported", boot?.reported],
    ["Boot arguments that wait for a restart", boot?.pending.join(" ")],
    ["Architecture", about?.hardware?.architecture],
    ["Vendor", about?.hardware?.vendor],
    ["CPUs online", topology && formatRanges(onlineCpus(topology))],
    ["CPUs offline", topology && formatRanges(topology.offline)],
    [
      "Cores",
      topology &&
        coresOf(topology)
          .map(({ cpus }) => formatRanges(cpus))
          .join(" "),
    ],
    ["Memory by NUMA node", about?.hardware?.numaNodes.map(({ memory = "?" }) => memory).join(", ")],
    ["CPUs irq", cpus?.irq],
    ...sets,
  ]);
}

function settingDifferences(one: NodeData, other: NodeData): Difference[] {
  const [a, b] = [byKey(one.settings), byKey(other.settings)];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) => {
    const [mine, theirs] = [a.get(key), b.get(key)];
    const { unit = "", option = "" } = mine ?? theirs ?? {};
    const name = (of: string): string => (of === "" ? option : `${option}, ${of}`);
    return differing(unit, aspects(mine, one, name), aspects(theirs, other, name));
  });
}

/** Idle settings are set on no node. */
function byKey(settings: readonly NodeSetting[]): ReadonlyMap<string, NodeSetting> {
  const active = settings.filter(({ state }) => state !== "idle");
  return new Map(active.map((setting) => [JSON.stringify([setting.unit, setting.option]), setting]));
}

function aspects(setting: NodeSetting | undefined, { chain }: NodeData, name: (of: string) => string): Facts {
  if (!setting) return new Map();
  const { wanted, actual, from } = setting;
  return new Map([
    [name("wanted"), wanted],
    [name("actual"), actual],
    [name("state"), stateWords[stateOf(setting)]],
    [name("set by"), sourceText(from, chain)],
  ]);
}

function differing(group: string, one: Facts, other: Facts): Difference[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .map((name) => ({ group, name, one: one.get(name) || undefined, other: other.get(name) || undefined }))
    .filter((difference) => difference.one !== difference.other);
}
