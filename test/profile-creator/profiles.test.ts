import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create } from "../../src/cli/profile/create.ts";
import { info } from "../../src/cli/profile/info.ts";
import { Said } from "../../src/cli/tuned/testing/said.ts";
import { readYaml } from "../../src/object/yaml.ts";
import { MustGathers } from "./must-gather.ts";
import { clusters, type Flags, infos, profiles, refusals } from "./recorded.ts";

const { signal } = new AbortController();

describe.each(["us", "tar"] as const)("support data with archives by %s", (by) => {
  let gathered: MustGathers;
  beforeAll(async () => {
    gathered = await MustGathers.build(by);
  });
  afterAll(() => gathered.remove());

  it.each(by === "us" ? profiles : profiles.slice(0, 1))(
    "leads to $id as recorded",
    async ({ cluster, flags, spec }) => {
      const { code, said } = await created(gathered.path(cluster), flags);
      expect(said.stderr).toBe("");
      expect([code, readYaml(said.stdout)]).toEqual([0, profileOf(spec)]);
    },
  );

  it.each(by === "us" ? refusals : [])("leads to nothing where that is recorded: $why", async ({ flags }) => {
    const { code, said } = await created(gathered.path("bare-metal"), flags);
    expect([code, said.stdout]).toEqual([1, ""]);
    expect(said.stderr).toMatch(/^error: .*\n$/);
  });

  it.each(Object.keys(clusters))("tells what nodes of %s are made of, packed or not", async (cluster) => {
    for (const path of [gathered.path(cluster), await gathered.packed(cluster)]) {
      const said = new Said();
      expect(await info({ mustGatherDirPath: path, json: true }, { terminal: said, signal })).toBe(0);
      expect([JSON.parse(said.stdout), said.stderr]).toEqual([infos[cluster], ""]);
    }
  });
});

function profileOf(spec: Record<string, unknown>): object {
  const metadata = { name: "performance" };
  return { apiVersion: "performance.openshift.io/v2", kind: "PerformanceProfile", metadata, spec };
}

async function created(mustGatherDirPath: string, given: Flags): Promise<{ code: number; said: Said }> {
  const { "mcp-name": mcpName, ...rest } = given;
  const flags = Object.fromEntries(Object.entries(rest).map(([flag, value]) => [flag, String(value)]));
  const said = new Said();
  const code = await create({ mustGatherDirPath, mcpName: String(mcpName), flags }, { terminal: said, signal });
  return { code, said };
}
