import { describe, expect, it } from "vitest";
import { AssetFolders } from "../../src/program/cli/render/testing/asset-folders.ts";
import { reduce } from "./reduce.ts";
import { scenarios } from "./scenarios.ts";

const all = scenarios();
const suffix =
  /^(?<kind>\w+)\/(?:01-(?<role>.+)-cpu-partitioning|50-performance-(?<mc>.+)|performance-(?<pp>.+)|openshift-node-performance-(?<tuned>.+))$/;

/** The file names that later scripts expect. */
function fileOf(object: string): string {
  const { kind = "", role, mc, pp, tuned } = suffix.exec(object)?.groups ?? {};
  if (role !== undefined) return `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`;
  return `${mc ?? pp ?? tuned}_${kind.toLowerCase()}.yaml`;
}

describe("attune render", () => {
  it.each(all.filter(({ expected }) => expected))(
    "agrees on $name with the command it replaces",
    async ({ folders, ownerRef, expected = {} }) => {
      const assets = new AssetFolders(...folders);
      expect((await assets.render({ ownerRef })).code).toBe(0);
      const written = assets.written();
      expect(reduce([...written.values()])).toEqual(expected);
      expect([...written.keys()]).toEqual(Object.keys(expected).map(fileOf).toSorted());
    },
  );

  it.each(all.filter(({ expected }) => !expected))(
    "fails on $name like the command it replaces",
    async ({ folders, ownerRef }) => {
      const assets = new AssetFolders(...folders);
      const { code, stderr } = await assets.render({ ownerRef });
      expect([code, assets.written().size]).toEqual([1, 0]);
      expect(stderr).toEqual([expect.stringMatching(/^error: .*PerformanceProfile manual: metadata\.uid: /)]);
    },
  );

  it("runs all recorded scenarios", () => {
    expect(all.map(({ name }) => name)).toHaveLength(9);
  });
});
