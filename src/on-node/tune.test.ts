import { describe, expect, test } from "vitest";
import { nativeEngine } from "../engine/native-engine.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import type { ProfileSpec } from "../node-tuning/api.ts";
import { tune } from "./tune.ts";

const base = new MemoryBase([
  ["/proc/sys/kernel/random/boot_id", "b\n"],
  ["/proc/sys/vm/swappiness", "60\n"],
  ["/proc/sys/kernel/osrelease", "6.12\n"],
]);
const engine = nativeEngine();

function spec(profile: string, texts: Record<string, string>, providerName?: string): ProfileSpec {
  return {
    config: { tunedProfile: profile, providerName },
    profile: Object.entries(texts).map(([name, data]) => ({ name, data })),
  };
}

describe("tuning a node", () => {
  test("asks the node what the profile wants to know, question after question", async () => {
    const host = new MemoryHost(base);
    const texts = {
      p: "[main]\ninclude=-provider-${f:exec:cat:/var/lib/ocp-tuned/provider}\n[more]\ntype=nosuch\nenabled=${f:exec:cat:/nosuch}\nk=${f:exec:cat:/proc/sys/kernel/osrelease}\n",
      "provider-aws": "[sysctl]\nvm.swappiness=7\n",
    };
    const outcome = await tune({ spec: spec("p", texts, "aws"), host, engine });
    expect(outcome).toMatchObject({
      type: "applied",
      report: { settings: [{ option: "vm.swappiness", type: "set" }] },
    });
  });

  test("puts a Profile's text over a profile that the node has by itself", async () => {
    const host = new MemoryHost(base);
    const outcome = await tune({ spec: spec("openshift", { openshift: "[sysctl]\nvm.swappiness=5\n" }), host, engine });
    expect(outcome).toMatchObject({ type: "applied", report: { settings: [{ value: "5" }] } });
  });

  test("changes no setting when the profile makes no sense", async () => {
    const host = new MemoryHost(base);
    const outcome = await tune({
      spec: spec("p", { p: "[main]\ninclude=q\n[sysctl]\nvm.swappiness=1\n" }),
      host,
      engine,
    });
    expect(outcome).toEqual({
      type: "invalid",
      problems: [{ message: 'profile "q" does not exist', file: "p/tuned.conf", line: 2 }],
    });
    expect(await host.read("/proc/sys/vm/swappiness")).toEqual({ type: "text", text: "60\n" });
  });

  test("writes the provider's name only when it changes", async () => {
    let writes = 0;
    class Counting extends MemoryHost {
      override replace(path: string, text: string): ReturnType<MemoryHost["replace"]> {
        if (path === "/var/lib/ocp-tuned/provider") writes++;
        return super.replace(path, text);
      }
    }
    const host = new Counting(base);
    for (const provider of ["aws", "aws", undefined, undefined])
      await tune({ spec: spec("p", { p: "" }, provider), host, engine });
    expect(writes).toBe(2);
    expect(await host.read("/var/lib/ocp-tuned/provider")).toEqual({ type: "text", text: "" });
  });
});
