import { describe, expect, it } from "vitest";
import { MemoryBase } from "../../node/host/memory-base.ts";
import { MemoryHost } from "../../node/host/memory-host.ts";
import { readNodeValues } from "./node-values.ts";

const spec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "[sysctl]\nvm.swappiness=11\n" }] };

/** A node whose own sysctl file sets another value. */
function node(files: Readonly<Record<string, string>>): MemoryHost {
  return new MemoryHost(
    new MemoryBase(
      Object.entries({
        "/proc/sys/vm/swappiness": "30\n",
        "/etc/sysctl.d/99-own.conf": "# ours\nvm.swappiness = 30\n",
        ...files,
      }),
    ),
  );
}

const bootId = { "/proc/sys/kernel/random/boot_id": "b\n" };

async function settingOf(files: Readonly<Record<string, string>>, reapply = true): Promise<unknown> {
  const config = { ...spec.config, tunedConfig: { reapply_sysctl: reapply } };
  return (await readNodeValues({ ...spec, config }, node(files), false)).settings;
}

describe("a sysctl that the node's own files set too", () => {
  const about = { unit: "sysctl", option: "vm.swappiness", type: "different", value: "30" };

  it("names the line that wins over the profile", async () => {
    expect(await settingOf(bootId)).toEqual([{ ...about, message: "set by /etc/sysctl.d/99-own.conf:2" }]);
  });

  it.each([
    ["reapply_sysctl_exclude names it", { "/etc/tuned/tuned-main.conf": "reapply_sysctl_exclude=vm.*\n" }, true],
    ["reapply_sysctl is off", {}, false],
  ])("has no such line if %s", async (_, files, reapply) => {
    expect(await settingOf({ ...bootId, ...files }, reapply)).toEqual([about]);
  });

  it("is read from a root without a running kernel", async () => {
    expect(await settingOf({})).toMatchObject([about]);
  });
});
