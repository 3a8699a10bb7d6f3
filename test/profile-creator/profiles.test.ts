import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create } from "../../src/program/cli/profile/create.ts";
import { info } from "../../src/program/cli/profile/info.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { MustGathers } from "./must-gather.ts";
import { clusters, type Flags, infos, profiles, refusals } from "./recorded.ts";

const { signal } = new AbortController();

describe("support data", () => {
  let gathered: MustGathers;
  beforeAll(async () => {
    gathered = await MustGathers.build(Object.keys(clusters), "us");
  });
  afterAll(() => gathered.remove());

  it.each(profiles)("gives $id as recorded", async ({ cluster, flags, spec }) => {
    const { code, printed } = await created(gathered.path(cluster), flags);
    expect([code, printed.stderr, readYaml(printed.stdout)]).toEqual([0, "", profileOf(spec)]);
  });

  it.each(refusals)("is refused as recorded: $why", async ({ flags }) => {
    const { code, printed } = await created(gathered.path("bare-metal"), flags);
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toMatch(/^error: .*\n$/);
  });

  it.each(Object.keys(clusters))("has the hardware of nodes of %s, packed or not", async (cluster) => {
    for (const path of [gathered.path(cluster), await gathered.packed(cluster)])
      expect(await infoOf(path)).toEqual(infos[cluster]);
  });

  it("may have archives of the tar program", async () => {
    const foreign = await MustGathers.build(["sno"], "tar");
    expect(await infoOf(foreign.path("sno"))).toEqual(infos["sno"]);
    await foreign.remove();
  });
});

async function infoOf(mustGatherDirPath: string): Promise<unknown> {
  const printed = new RecordingTerminal();
  expect([await info({ mustGatherDirPath, json: true }, { terminal: printed, signal }), printed.stderr]).toEqual([
    0,
    "",
  ]);
  return JSON.parse(printed.stdout);
}

function profileOf(spec: Record<string, unknown>): object {
  const metadata = { name: "performance" };
  return { apiVersion: "performance.openshift.io/v2", kind: "PerformanceProfile", metadata, spec };
}

async function created(mustGatherDirPath: string, given: Flags): Promise<{ code: number; printed: RecordingTerminal }> {
  const { "mcp-name": mcpName, ...rest } = given;
  const flags = Object.fromEntries(Object.entries(rest).map(([flag, value]) => [flag, String(value)]));
  const printed = new RecordingTerminal();
  const code = await create({ mustGatherDirPath, mcpName: String(mcpName), flags }, { terminal: printed, signal });
  return { code, printed };
}
