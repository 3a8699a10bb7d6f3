import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import { resolveSpec, type SpecResolution } from "./resolve-spec.ts";

const base = new MemoryBase([
  ["/proc/sys/kernel/osrelease", "6.12\n"],
  ["/etc/tuned/tuned-main.conf", "reapply_sysctl_exclude = vm.*; net.core.*\n"],
]);

function spec(
  profile: string,
  texts: Record<string, string>,
  config: Partial<ProfileSpec["config"]> = {},
): ProfileSpec {
  return {
    config: { tunedProfile: profile, ...config },
    profile: Object.entries(texts).map(([name, data]) => ({ name, data })),
  };
}

function optionsOf(resolution: SpecResolution): string[] {
  if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
  return resolution.profile.units.flatMap(({ options }) => [...options].map(([key, { value }]) => `${key}=${value}`));
}

describe("the spec of a Profile", () => {
  test("answers the questions of the profile on the node, one after the other", async () => {
    const texts = {
      p: "[main]\ninclude=-provider-${f:exec:cat:/var/lib/ocp-tuned/provider}\n[sysctl]\nk=${f:exec:cat:/proc/sys/kernel/osrelease}\n",
      "provider-aws": "[sysctl]\nvm.swappiness=7\n",
    };
    const resolution = await resolveSpec(spec("p", texts, { providerName: "aws" }), new MemoryHost(base));
    expect(optionsOf(resolution)).toEqual(["vm.swappiness=7", "k=6.12\n"]);
    expect(resolution).toMatchObject({ texts: [{ file: "provider-aws/tuned.conf" }, { file: "p/tuned.conf" }] });
  });

  test("does not merge the post-loaded profile of the node's own TuneD: the Go operator's has an /etc/tuned of its own", async () => {
    const host = new MemoryHost(
      new MemoryBase([
        ["/etc/tuned/post_loaded_profile", "post\n"],
        ["/etc/tuned/recommend.conf", "[post]\n"],
        ["/etc/tuned/post/tuned.conf", "[sysctl]\nvm.swappiness=99\n"],
      ]),
    );
    const resolution = await resolveSpec(spec("p", { p: "[sysctl]\nvm.swappiness=7\n" }), host);
    expect(optionsOf(resolution)).toEqual(["vm.swappiness=7"]);
  });

  test("merges a profile over the built-in one of the same name", async () => {
    const texts = { openshift: "[main]\ninclude=openshift\n[sysctl]\nvm.swappiness=5\n" };
    const resolution = await resolveSpec(spec("openshift", texts), new MemoryHost(base));
    expect(optionsOf(resolution)).toContain("vm.swappiness=5");
    expect(resolution.type === "resolved" && resolution.texts.map(({ file }) => file)).toEqual(
      expect.arrayContaining(["openshift/tuned.conf", "/usr/lib/attune/profiles/openshift/tuned.conf"]),
    );
  });

  test("finds a provider's profile in the node's own folders, and no other meaning of a known name", async () => {
    const host = new MemoryHost(
      new MemoryBase([
        ["/usr/lib/tuned/provider-aws/tuned.conf", "[main]\ninclude=vendor\n[sysctl]\nvm.swappiness=7\n"],
        ["/etc/tuned/provider-aws/script.sh", ""],
        ["/etc/tuned/vendor/tuned.conf", "[script]\nscript=go.sh\n"],
        ["/etc/tuned/openshift/tuned.conf", "[sysctl]\nvm.swappiness=99\n"],
        ["/etc/tuned/q/tuned.conf", "[sysctl]\nvm.swappiness=98\n"],
        ["/etc/tuned/broken/tuned.conf", "nonsense\n"],
        ["/etc/tuned/tuned-main.conf", ""],
      ]),
    );
    const include = "-provider-${f:exec:cat:/var/lib/ocp-tuned/provider},-provider-gone,q";
    const texts = { p: `[main]\ninclude=${include}\n`, q: "[sysctl]\nvm.x=1\n" };
    const resolution = await resolveSpec(spec("p", texts, { providerName: "aws" }), host);
    expect(optionsOf(resolution)).toEqual(["script=/etc/tuned/vendor/go.sh", "vm.swappiness=7", "vm.x=1"]);
    expect(optionsOf(await resolveSpec(spec("openshift", {}), host))).not.toContain("vm.swappiness=99");
  });

  test("names the place of an error in a profile", async () => {
    const resolution = await resolveSpec(spec("p", { p: "[main]\ninclude=q\n" }), new MemoryHost(base));
    expect(resolution).toEqual({
      type: "invalid",
      problems: [{ message: 'profile "q" does not exist', file: "p/tuned.conf", line: 2 }],
    });
  });

  test.each([
    [{}, true],
    [{ tunedConfig: {} }, true],
    [{ tunedConfig: { reapply_sysctl: false } }, false],
  ])("with %j lets the node's sysctl files win: %s", async (config, enabled) => {
    const resolution = await resolveSpec(spec("p", { p: "" }, config), new MemoryHost(base));
    expect(resolution).toMatchObject({ options: { reapplySysctl: { enabled, exclude: ["vm.*", "net.core.*"] } } });
  });

  test("writes the provider's name only when it changes", async () => {
    let writes = 0;
    class Counting extends MemoryHost {
      override replace(path: string, text: string): ReturnType<MemoryHost["replace"]> {
        writes++;
        return super.replace(path, text);
      }
    }
    const host = new Counting(base);
    for (const config of [{ providerName: "aws" }, { providerName: "aws" }, {}, {}])
      await resolveSpec(spec("p", { p: "" }, config), host);
    expect(writes).toBe(2);
    expect(await host.read("/var/lib/ocp-tuned/provider")).toEqual({ type: "text", text: "" });
  });
});
