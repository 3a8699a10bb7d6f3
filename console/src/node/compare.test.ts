import { describe, expect, it } from "vitest";
import type { NodeFleetRow, NodeSetting } from "../../protocol/node.ts";
import { compareNodes } from "./compare.ts";
import type { NodeData } from "./node-data.ts";

const row: NodeFleetRow = {
  name: "a",
  ready: true,
  cordoned: false,
  pool: "worker",
  profile: "quiet",
  inForce: "quiet",
  state: "As wanted",
  because: "",
  drift: 0,
  reboot: false,
  peers: [],
};
const setting = (more: Partial<NodeSetting> = {}): NodeSetting => ({
  at: 0,
  unit: "sysctl",
  option: "vm.swappiness",
  wanted: "10",
  from: "quiet/tuned.conf:4",
  overrides: [],
  state: "as wanted",
  actual: "10",
  ...more,
});
const node = (more: Partial<NodeData> = {}): NodeData => ({
  row,
  chain: [{ profile: "quiet", file: "quiet/tuned.conf", tuneds: ["quiet"] }],
  settings: [setting()],
  texts: new Map(),
  ...more,
});

describe("two nodes", () => {
  it("that are equal have no differences, whatever their names are", () => {
    expect(compareNodes(node(), node({ row: { ...row, name: "b" } }))).toEqual([]);
  });

  it("differ in facts and in each aspect of a setting", () => {
    const other = node({
      row: { ...row, state: "Drifted" },
      settings: [setting({ actual: "60", state: "different", since: "2026-01-01T00:00:00Z" })],
    });
    expect(compareNodes(node(), other)).toEqual([
      { group: "", name: "State", one: "As wanted", other: "Drifted" },
      { group: "sysctl", name: "vm.swappiness, actual", one: "10", other: "60" },
      { group: "sysctl", name: "vm.swappiness, state", one: "as wanted", other: "differs" },
    ]);
  });

  it("differ in a setting that one of them lacks", () => {
    expect(compareNodes(node(), node({ settings: [] })).map(({ name, one, other }) => [name, one, other])).toEqual([
      ["vm.swappiness, wanted", "10", undefined],
      ["vm.swappiness, actual", "10", undefined],
      ["vm.swappiness, state", "as wanted", undefined],
      ["vm.swappiness, set by", "Tuned quiet, line 4", undefined],
    ]);
  });

  it("do not differ in idle settings", () => {
    expect(compareNodes(node({ settings: [setting({ state: "idle" })] }), node({ settings: [] }))).toEqual([]);
  });

  it("differ in their CPUs and what these are for", () => {
    const cpus = (cores: string[], reserved: string) => ({
      topology: { numaNodes: [{ id: 0, cores }], offline: "" },
      sets: { reserved },
    });
    const one = node({ cpus: cpus(["0/0:0,2", "0/1:1,3"], "0,2") });
    const other = node({ cpus: cpus(["0/0:0-1", "0/1:2-3"], "0-1") });
    expect(compareNodes(one, other)).toEqual([
      { group: "", name: "Cores", one: "0,2 1,3", other: "0-1 2-3" },
      { group: "", name: "CPUs reserved", one: "0,2", other: "0-1" },
    ]);
  });
});
