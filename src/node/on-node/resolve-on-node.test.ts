import { describe, expect, test } from "vitest";
import type { CommandResult } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { probeKey } from "../../language/tuned/probe.ts";
import type { Profiles } from "../../language/tuned/resolve.ts";
import { type NodeResolution, resolveOnNode } from "./resolve-on-node.ts";

class Asked extends MemoryHost {
  readonly ran: string[] = [];

  constructor() {
    super(new MemoryBase([["/etc/tuned/v.conf", "size=5\n"]]));
  }

  override run(argv: readonly string[]): Promise<CommandResult> {
    this.ran.push(argv.join(" "));
    return Promise.resolve({ type: "exited", code: 0, stdout: `${argv.at(-1)}+`, stderr: "" });
  }
}

const profiles = (text: string): Profiles => ({
  profile: "p",
  layers: [new Map([["p", parseProfile(text, "p/tuned.conf")]])],
});

function value(resolution: NodeResolution): string | undefined {
  if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
  return resolution.profile.units[0]?.options.get("k")?.value;
}

const nested = "[sysctl]\nk=${f:exec:echo:${f:exec:echo:1}}\n";
const withFile = "[variables]\ninclude=/etc/tuned/v.conf\n[sysctl]\nk=${size}${f:exec:echo:1}\n";

describe("resolving a profile on a node", () => {
  test("answers questions until none is open", async () => {
    const host = new Asked();
    const resolution = await resolveOnNode({ profiles: profiles(nested), host });
    expect(value(resolution)).toBe("1++");
    expect(resolution).toMatchObject({ unresolved: [] });
    expect(host.ran).toEqual(["echo 1", "echo 1+"]);
  });

  test("does not answer again what is known", async () => {
    const host = new Asked();
    const known = probeKey({ type: "exec", argv: ["echo", "1"] });
    const answers = new Map([[known, { type: "text", text: "7" } as const]]);
    expect(value(await resolveOnNode({ profiles: profiles(nested), host, answers }))).toBe("7+");
    expect(host.ran).toEqual(["echo 7"]);
  });

  test("without programs still reads files, and returns what is unresolved", async () => {
    const host = new Asked();
    const resolution = await resolveOnNode({ profiles: profiles(withFile), host, programs: false });
    expect(value(resolution)).toBe("5${f:exec:echo:1}");
    expect(resolution).toMatchObject({ unresolved: [{ type: "exec", argv: ["echo", "1"] }] });
    expect(host.ran).toEqual([]);
  });

  test("refuses a profile that asks without end", async () => {
    let text = "1";
    for (let depth = 0; depth < 120; depth++) text = `\${f:exec:echo:${text}}`;
    const resolution = await resolveOnNode({ profiles: profiles(`[sysctl]\nk=${text}\n`), host: new Asked() });
    expect(resolution.type).toBe("invalid");
  });
});
