import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../host/memory-host.ts";
import type { CommandResult } from "../host/host.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { resolve, type ResolvedProfile } from "../../language/tuned/resolve.ts";
import { tunedPlugins, usedFeatures, type UsedFeatures } from "../../language/tuned/version-differences.ts";
import { nativePlugins } from "./plugins/native-plugins.ts";
import { chooseByFeatures, chooseEngine, type EngineChoice, type EngineName } from "./choose-engine.ts";
import { tunedFacts, type TunedFacts } from "./tuned-daemon/tuned-facts.ts";

const debian: TunedFacts = { type: "installed", version: "2.20.0" };
const newest: TunedFacts = { type: "installed", version: "2.28.0" };

const nothing: ResolvedProfile = {
  profile: "p",
  chain: [],
  includes: [],
  main: new Map(),
  variables: new Map(),
  units: [],
  sections: [],
  bootArguments: [],
  warnings: [],
  logged: [],
};

function used(text: string): UsedFeatures {
  const parsed = parseProfile(text, "p");
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parsed]])] }, noAnswers);
  if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution));
  if (resolution.type === "resolved") return usedFeatures(resolution.profile, [parsed]);
  return usedFeatures(nothing, [parsed]);
}

test.each<[name: string, text: string, facts: TunedFacts, expected: EngineChoice]>([
  [
    "everything there",
    "[sysctl]\nvm.swappiness=1\n",
    debian,
    { engine: "tuned", reason: "TuneD 2.20.0 is installed and has everything the profile uses" },
  ],
  [
    "a newer function in a variable",
    "[variables]\na=${f:lscpu_check:Intel:1:2}\n[sysctl]\nx.y=1\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks function lscpu_check" },
  ],
  [
    "the same on the newest",
    "[variables]\na=${f:lscpu_check:Intel:1:2}\n[sysctl]\nx.y=1\n",
    newest,
    { engine: "tuned", reason: "TuneD 2.28.0 is installed and has everything the profile uses" },
  ],
  [
    "a version between the two that were compared",
    "[irq]\naffinity=0\n",
    { type: "installed", version: "2.24.1" },
    { engine: "native", reason: "TuneD 2.24.1 lacks plug-in irq" },
  ],
  [
    "a newer plug-in beside one that only TuneD has",
    "[acpi]\nplatform_profile=performance\n[audio]\ntimeout=10\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks plug-in acpi; only TuneD could apply [audio]" },
  ],
  [
    "a newer option",
    "[vm]\ndirty_bytes=10%\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks option vm.dirty_bytes" },
  ],
  [
    "a unit that is off",
    "[irq]\nenabled=false\naffinity=0\n",
    debian,
    { engine: "tuned", reason: "TuneD 2.20.0 is installed and has everything the profile uses" },
  ],
  [
    "priorities, which 2.20 has as an option",
    "[sysctl]\npriority=3\nx.y=1\n",
    debian,
    { engine: "tuned", reason: "TuneD 2.20.0 is installed and has everything the profile uses" },
  ],
  [
    "prepended variables",
    "[variables]\nprepend=1\na=1\n[sysctl]\nx.y=1\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks prepend for variables" },
  ],
  [
    "variables in a section of another name",
    "[v]\ntype=variables\na=1\n[sysctl]\nx.y=1\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks variables in a section [v]" },
  ],
  [
    "a slash in a sysctl's name",
    "[sysctl]\nnet.ipv4.conf.eth0/100.forwarding=1\n",
    debian,
    { engine: "native", reason: "TuneD 2.20.0 lacks names such as sysctl.net.ipv4.conf.eth0/100.forwarding" },
  ],
  [
    "a plug-in that no TuneD has",
    "[foo]\nx=1\n",
    newest,
    { engine: "native", reason: "TuneD 2.28.0 lacks plug-in foo" },
  ],
  [
    "an old version",
    "[sysctl]\nx.y=1\n",
    { type: "installed", version: "2.9.0" },
    { engine: "native", reason: "TuneD 2.9.0 is older than 2.20" },
  ],
  [
    "no TuneD",
    "[usb]\nautosuspend=1\n",
    { type: "missing", message: "TuneD is not installed" },
    { engine: "native", reason: "TuneD is not installed; only TuneD could apply [usb]" },
  ],
  [
    "a TuneD that the node runs itself",
    "[sysctl]\nx.y=1\n",
    { ...debian, unusable: "tuned.service of the node is active" },
    { engine: "native", reason: "tuned.service of the node is active" },
  ],
])("%s", (_, text, facts, expected) => {
  expect(chooseByFeatures(used(text), facts)).toEqual(expected);
});

test("the native engine has every plug-in of TuneD, or leaves it to TuneD", () => {
  expect(new Set(nativePlugins.map(({ type }) => type))).toEqual(tunedPlugins);
});

test.each<[option: EngineName, folders: string[], expected: Partial<EngineChoice>]>([
  ["native", ["/usr/lib/tuned/x"], { engine: "native", reason: "asked for" }],
  ["tuned", [], { engine: "tuned", reason: "asked for" }],
  ["auto", [], { engine: "native", reason: "TuneD is not installed" }],
  ["auto", ["/usr/lib/tuned/x"], { engine: "tuned" }],
])("the option %s on a node with %j", async (option, folders, expected) => {
  const files = folders.map((path): [string, string] => [path, ""]);
  const tuned: MemoryCommand = () => ({ type: "exited", code: 0, stdout: "tuned 2.28.0\n", stderr: "" });
  const host = new MemoryHost(new MemoryBase(files, []), [["tuned", tuned]]);
  expect(await chooseEngine({ option, host, profile: nothing, texts: [] })).toMatchObject(expected);
});

describe("the TuneD of a node", () => {
  const exited = (stdout: string, code = 0, stderr = ""): CommandResult => ({ type: "exited", code, stdout, stderr });

  function host(answers: Record<string, CommandResult>, files: [string, string][] = []): MemoryHost {
    class Node extends MemoryHost {
      override async run(argv: readonly string[]): Promise<CommandResult> {
        return answers[argv.join(" ")] ?? { type: "failed", message: `${argv[0]}: not found` };
      }
    }
    return new Node(new MemoryBase(files, []));
  }

  const version = { "tuned --version": exited("tuned 2.20.0\n") };
  const python = "/usr/bin/python3\0-Es\0/usr/sbin/tuned\0-l\0";

  test.each<[string, MemoryHost, unknown]>([
    ["no program", host({}), { type: "missing", message: "TuneD is not installed" }],
    [
      "a broken Python",
      host({ "tuned --version": exited("", 1, "Traceback\nModuleNotFoundError: No module named 'pyudev'\n") }),
      { type: "missing", message: "TuneD does not start: ModuleNotFoundError: No module named 'pyudev'" },
    ],
    ["a version", host(version), { type: "installed", version: "2.20.0" }],
    [
      "an active service",
      host({ ...version, "systemctl is-active tuned.service": exited("active\n") }, [["/run/systemd/system/x", ""]]),
      { type: "installed", unusable: expect.stringContaining("systemctl disable --now tuned") },
    ],
    [
      "a service that is off",
      host({ ...version, "systemctl is-active tuned.service": exited("inactive\n", 3) }, [
        ["/run/systemd/system/x", ""],
      ]),
      { type: "installed", version: "2.20.0" },
    ],
    [
      "a process without a service",
      host(version, [["/proc/77/cmdline", python]]),
      { type: "installed", unusable: expect.stringContaining("not started by Attune is running (process 77)") },
    ],
    [
      "one of another running Attune",
      host(version, [
        ["/proc/77/cmdline", python],
        ["/proc/77/status", "PPid:\t70\n"],
        ["/proc/70/cmdline", "node\0attune\0"],
        ["/run/attune/tuned.pid", "77"],
      ]),
      { type: "installed", unusable: expect.stringContaining("of another Attune") },
    ],
    [
      "one whose Attune was killed",
      host(version, [
        ["/proc/77/cmdline", python],
        ["/proc/77/status", "PPid:\t1\n"],
        ["/run/attune/tuned.pid", "77"],
      ]),
      { type: "installed", version: "2.20.0" },
    ],
    [
      "programs with similar names",
      host(version, [
        ["/proc/5/cmdline", "/usr/bin/python3\0/usr/sbin/tuned-adm\0"],
        ["/proc/6/cmdline", "vi\0/usr/sbin/tuned\0"],
      ]),
      { type: "installed", version: "2.20.0" },
    ],
  ])("%s", async (_, node, expected) => {
    const facts = await tunedFacts(node);
    expect(facts).toMatchObject(expected as object);
    if (!JSON.stringify(expected).includes("unusable")) expect(facts).toEqual(expected);
  });
});
