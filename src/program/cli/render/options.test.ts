import { describe, expect, it } from "vitest";
import { renderOptions, type RenderFlags, type RenderOptions } from "./options.ts";

type Env = Record<string, string>;
const out = { ASSET_OUTPUT_DIR: "/out" };

describe("options of attune render", () => {
  it.each<[string, Partial<RenderFlags>, Env, Partial<RenderOptions>]>([
    ["have defaults", {}, out, { inputs: ["/assets"], output: "/out", owner: "label-name", root: "/" }],
    ["come from flags", { assetInputDir: ["a"], assetOutputDir: "o", ownerRef: "none" }, {}, { owner: "none" }],
    ["come from the environment", {}, { ...out, ASSET_INPUT_DIR: "a,b", OWNER_REF: "k8s" }, { inputs: ["a", "b"] }],
    [
      "come from flags rather than from the environment",
      { assetInputDir: ["a"], assetOutputDir: "o", ownerRef: "none" },
      { ASSET_INPUT_DIR: "x", ASSET_OUTPUT_DIR: "y", OWNER_REF: "" },
      { inputs: ["a"], output: "o", owner: "none" },
    ],
    ["keep the order of folders", { assetInputDir: ["b,a", "c"] }, out, { inputs: ["b", "a", "c"] }],
    ["take an empty variable for an unset one", {}, { ...out, ASSET_INPUT_DIR: "" }, { inputs: ["/assets"] }],
    ["name a pool", { mcpName: "master", root: "/host" }, out, { pool: "master", root: "/host" }],
  ])("%s", (_, flags, env, expected) => {
    expect(renderOptions({ root: "/", ...flags }, env)).toMatchObject(expected);
  });

  it.each<[Partial<RenderFlags>, Env, string]>([
    [{}, {}, "--asset-output-dir is required"],
    [{ assetOutputDir: "" }, {}, "--asset-output-dir is required"],
    [{}, { ...out, OWNER_REF: "" }, '--owner-ref "": not one of none, k8s, label-name'],
    [{ ownerRef: "Label-Name" }, out, '--owner-ref "Label-Name": not one of'],
    [{ assetInputDir: ["a,,b"] }, out, "--asset-input-dir a,,b: a folder name is empty"],
    [{ assetInputDir: [""] }, out, "--asset-input-dir : a folder name is empty"],
    [{ mcpName: "" }, out, "--mcp-name: the name is empty"],
    [{ mcpName: "worker", plain: true }, out, "--plain and --mcp-name exclude each other"],
  ])("may not be %j with %j", (flags, env, message) => {
    expect(() => renderOptions({ root: "/", ...flags }, env)).toThrow(message);
  });
});
