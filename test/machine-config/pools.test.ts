import { describe } from "vitest";
import { Pools } from "../../src/domain/machine-config/pools.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { Members } from "../../src/domain/rollout/members.ts";
import { agreesWithRecorded, casesOf, sha256 } from "./parity.ts";
import { configOf, nodeOf, poolOf, type ShortNode, type ShortPool } from "./recorded-pools.ts";

interface Case {
  id: string;
  check: string;
  input: {
    pool: ShortPool;
    pools: ShortPool[];
    nodes: ShortNode[];
    machineConfigs: { name: string }[];
    machineConfig: { name: string };
    poolLabels: Record<string, string>;
  };
  expect: unknown;
}

const checks: Record<string, (input: Case["input"]) => unknown> = {
  configsOfPool({ pool, machineConfigs }) {
    const pools = new Pools([poolOf(pool)]);
    const selected = machineConfigs.filter((config) =>
      pools.selecting(configOf(config).metadata.labels ?? {}).includes(pool.name),
    );
    const { type } = renderPool({
      pool: poolOf(pool),
      machineConfigs: selected.map(configOf),
      version: "1",
      digest: sha256,
    });
    if (pool["machineConfigSelector"] === undefined && type === "refused") return { error: true };
    return { selected: selected.map(({ name }) => name) };
  },
  poolsOfConfig({ machineConfig, pools }) {
    const found = new Pools(pools.map(poolOf)).selecting(configOf(machineConfig).metadata.labels ?? {});
    return found.length > 0 ? { pools: found } : { error: true };
  },
  poolsOfNode({ pools, nodes }) {
    const members = new Members();
    members.use(pools.map(poolOf));
    const selected = new Pools(pools.map(poolOf));
    const judged = nodes.map((short) => {
      const { pools: counted, conflict, isMasterInCustomPool } = members.assign(nodeOf(short));
      if (conflict.length > 0) return [short.name, { conflict }];
      const all = counted.length > 0 ? selected.ofNode(short.labels ?? {}) : [];
      return [
        short.name,
        {
          pools: all,
          ...(all.length > 0 ? { primary: counted[0] } : {}),
          ...(isMasterInCustomPool ? { alert: true } : {}),
        },
      ];
    });
    const names = (pool: string): string[] =>
      members
        .of(pool, nodes.map(nodeOf))
        .map(({ state }) => state.name)
        .toSorted();
    const counted = pools.map(({ name }) => [
      name,
      members.problemsOf(name).length > 0 ? { error: true } : names(name),
    ]);
    return { members: Object.fromEntries(counted), nodes: Object.fromEntries(judged) };
  },
  // KubeletConfigs become MachineConfigs on their own: whether one of them succeeds is no input of a rendering.
  subControllersReady({ poolLabels }) {
    const pool = { ...poolOf({ name: "p" }), metadata: { name: "p", labels: poolLabels } };
    const { type } = renderPool({
      pool,
      machineConfigs: [configOf({ name: "a", role: "p" })],
      version: "1",
      digest: sha256,
    });
    return { render: type === "rendered" };
  },
};

const node = (pool: string): object => ({ pools: [pool], primary: pool });

/** W-3: a bad selector affects only its pool, and a failed KubeletConfig none. W-19: a node in two custom pools counts in both. */
const ours = {
  "config-bad-selector": { pools: ["worker"] },
  "pools-bad-selector": {
    members: { bad: { error: true }, master: ["m"], worker: ["w"] },
    nodes: { m: node("master"), w: node("worker") },
  },
  "pools-in-without-values": {
    members: { bad: { error: true }, master: [], worker: ["w"] },
    nodes: { w: node("worker") },
  },
  "pools-two-custom": {
    members: { gpu: ["g", "ig", "igw"], infra: ["ig", "igw"], master: ["igm"], worker: ["w"] },
    nodes: {
      g: node("gpu"),
      ig: { conflict: ["gpu", "infra"] },
      igw: { conflict: ["gpu", "infra"] },
      igm: { pools: [], alert: true },
      w: node("worker"),
    },
  },
  "ready-no-conditions": { render: true },
  "ready-empty-selector": { render: true },
  "ready-runtime-config-no-conditions": { render: true },
  "ready-bad-selector-elsewhere": { render: true },
};

describe("the nodes and configs of pools (machine-config W-3, machine-config W-19)", () => {
  agreesWithRecorded(casesOf<Case>("pools"), ours, ({ check, input }) => checks[check]!(input));
});
