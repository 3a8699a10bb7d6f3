import { describe, expect, it } from "vitest";
import { at } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { AssetFolders } from "./testing/asset-folders.ts";
import { type Change, filesOf, profileText } from "./testing/profile-text.ts";

describe("attune render names the PerformanceProfile of its objects", () => {
  const labelled: Change = ({ spec }) =>
    (spec["machineConfigLabel"] = { "machineconfiguration.openshift.io/role": "worker" });
  const owner = "performance.openshift.io/weak-owner-reference-name";

  it("by a label, which no rule goes by", async () => {
    const assets = new AssetFolders({ a: profileText("one", labelled) });
    expect((await assets.render()).code).toBe(0);
    const written = [...assets.written().values()];
    for (const { metadata } of written) expect(metadata.labels).toMatchObject({ [owner]: "one" });
    const [rule] = at(
      written.find(({ kind }) => kind === "Tuned"),
      "spec",
      "recommend",
    ) as KubeObject[];
    expect(at(rule, "machineConfigLabels")).toEqual({ "machineconfiguration.openshift.io/role": "worker" });
  });

  it("by an owner reference, if the profile has a uid", async () => {
    const assets = new AssetFolders({ a: profileText("one", ({ metadata }) => (metadata["uid"] = "u-1")) });
    expect((await assets.render({ ownerRef: "k8s" })).code).toBe(0);
    for (const { metadata } of assets.written().values()) {
      expect(metadata.labels ?? {}).not.toHaveProperty([owner]);
      expect(metadata.ownerReferences).toEqual([
        { apiVersion: "performance.openshift.io/v2", kind: "PerformanceProfile", name: "one", uid: "u-1" },
      ]);
    }
  });

  it("not by a label if the name is too long for a label value", async () => {
    const name = "n".repeat(70);
    const assets = new AssetFolders({ a: profileText(name) });
    const { code, stderr } = await assets.render();
    expect([code, assets.names()]).toEqual([1, []]);
    expect(stderr.at(-1)).toMatch(/^error: .*metadata\.name: .*pass --owner-ref none$/);
    expect((await assets.render({ ownerRef: "none" })).code).toBe(0);
    expect(assets.names()).toEqual(filesOf(name));
  });
});
