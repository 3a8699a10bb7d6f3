import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolve, type ResolveOptions } from "./resolve.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

const profiles = {
  "/usr/lib/tuned/parent": "[main]\nsummary=x\n[variables]\nn=4\n[sysctl]\nvm.swappiness=60\nkernel.x=${n}\n",
  "/etc/tuned/child":
    "[main]\ninclude=parent\n[sysctl]\nvm.swappiness=10\n[bootloader]\ncmdline_a=nohz=on quiet\n[eth]\ntype=net\ndevices=eth*\nenabled=0\nmtu=9000\n",
  "/etc/tuned/asks": "[sysctl]\na=${f:exec:touch:/tmp/never}\nb=${f:cpulist_online:0-7}\n",
  "/etc/tuned/wrong": "[main]\ninclude=gone\nnonsense\n",
  "/etc/tuned/huge": `[sysctl]\na=${"x".repeat(10 * 1024 * 1024)}\n`,
};

async function resolved(
  name: string,
  options: Partial<ResolveOptions> = {},
): Promise<{ code: number; printed: RecordingTerminal; root: FakeRoot }> {
  const root = await FakeRoot.withProfiles(profiles);
  const printed = new RecordingTerminal();
  const code = await resolve([name], { root: root.path, dir: [], exec: false, output: "json", ...options }, printed);
  return { code, printed, root };
}

describe("attune tuned resolve", () => {
  it("prints the settings of a profile, and where each comes from", async () => {
    const { code, printed } = await resolved("child");
    expect([code, printed.stderr]).toEqual([0, ""]);
    const at = (name: string, line: number): string =>
      `${name === "child" ? "/etc/tuned" : "/usr/lib/tuned"}/${name}/tuned.conf:${line}`;
    expect(JSON.parse(printed.stdout)).toEqual({
      profile: "child",
      chain: ["parent", "child"],
      variables: { n: "4" },
      units: [
        {
          name: "sysctl",
          type: "sysctl",
          enabled: true,
          devices: "*",
          options: {
            "vm.swappiness": {
              value: "10",
              from: at("child", 4),
              overrides: [{ value: "60", from: at("parent", 6) }],
            },
            "kernel.x": { value: "4", from: at("parent", 7), overrides: [] },
          },
        },
        {
          name: "bootloader",
          type: "bootloader",
          enabled: true,
          devices: "*",
          options: { cmdline_a: { value: "nohz=on quiet", from: at("child", 6), overrides: [] } },
        },
        {
          name: "eth",
          type: "net",
          enabled: false,
          devices: "eth*",
          options: { mtu: { value: "9000", from: at("child", 11), overrides: [] } },
        },
      ],
      bootArguments: ["nohz=on", "quiet"],
      unresolved: [],
    });
  });

  it("prints a table", async () => {
    const { printed } = await resolved("child", { output: "table" });
    expect(printed.lines).toEqual([
      "Profile: | child",
      "Merged from: | parent → child",
      "Boot arguments: | nohz=on quiet",
      "Variables: | n=4",
      "",
      "OPTION | VALUE | FROM",
      "[sysctl]",
      "| vm.swappiness | 10 | /etc/tuned/child/tuned.conf:4",
      "| instead of | 60 | /usr/lib/tuned/parent/tuned.conf:6",
      "| kernel.x | 4 | /usr/lib/tuned/parent/tuned.conf:7",
      "[bootloader]",
      "| cmdline_a | nohz=on quiet | /etc/tuned/child/tuned.conf:6",
      "[eth] | disabled, type=net, devices=eth*",
      "| mtu | 9000 | /etc/tuned/child/tuned.conf:11",
      "",
    ]);
  });

  it("prints YAML that keeps strings strings", async () => {
    expect((await resolved("child", { output: "yaml" })).printed.stdout).toContain('value: "10"\n');
  });

  it("without --exec leaves values that depend on a program unresolved, and still reads files", async () => {
    const { printed } = await resolved("asks");
    expect(JSON.parse(printed.stdout)).toMatchObject({
      units: [{ options: { a: { value: "${f:exec:touch:/tmp/never}" } } }],
      unresolved: [{ type: "exec", argv: ["touch", "/tmp/never"] }],
    });
    const { printed: shown } = await resolved("asks", { output: "table" });
    expect(shown.lines).toContain("Unresolved: | the output of `touch /tmp/never`");
  });

  it("reports all problems with their places", async () => {
    const { code, printed } = await resolved("wrong");
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr.split("\n").toSorted()).toEqual([
      "",
      'error: /etc/tuned/wrong/tuned.conf:2: profile "gone" does not exist',
      'error: /etc/tuned/wrong/tuned.conf:3: expected "key = value", found "nonsense"',
    ]);
  });

  it("refuses a file that is too large for a profile", async () => {
    const { code, printed } = await resolved("huge");
    expect([code, printed.stderr]).toEqual([1, "error: /etc/tuned/huge/tuned.conf: larger than 1048576 characters\n"]);
  });

  it("prefers the folder that is named last", async () => {
    const { path } = await FakeRoot.make({
      "/one/child/tuned.conf": "[sysctl]\na=1\n",
      "/two/child/tuned.conf": "[sysctl]\na=2\n",
    });
    const dir = [join(path, "one"), join(path, "two")];
    const { printed } = await resolved("child", { dir });
    const from = `${path}/two/child/tuned.conf:2`;
    expect(JSON.parse(printed.stdout)).toMatchObject({ units: [{ options: { a: { value: "2", from } } }] });
  });

  it("runs programs of the node with --exec", async () => {
    const { path } = await FakeRoot.make({ "/p/tuned.conf": "[sysctl]\na=${f:exec:echo:7}\n" });
    const { printed } = await resolved("p", { root: "/", dir: [path], exec: true });
    expect(JSON.parse(printed.stdout)).toMatchObject({ units: [{ options: { a: { value: "7\n" } } }], unresolved: [] });
  });
});
