import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyContents, type MachineContents } from "../../../domain/machine-config/machine-contents.ts";
import { readContents } from "../../../domain/machine-config/read-contents.ts";
import { bootIdPath } from "../../host/boot-id.ts";
import { LinuxHost } from "../../host/linux-host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import { act } from "./act.ts";
import { applyContents, releaseContents, verifyContents } from "./apply-contents.ts";

const exited = (stdout = "", code = 0): Awaited<ReturnType<MemoryCommand>> => ({
  type: "exited",
  code,
  stdout,
  stderr: "",
});

function node(files: Record<string, string>, programs: Record<string, MemoryCommand> = {}) {
  const commands: string[] = [];
  const recorded = Object.entries(programs).map(([name, program]): [string, MemoryCommand] => [
    name,
    (args, host, options) => {
      commands.push([name, ...args].join(" "));
      return program(args, host, options);
    },
  ]);
  const base = new MemoryBase([
    [bootIdPath, "boot-1\n"],
    ["/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n"],
    ...Object.entries(files),
  ]);
  return { host: new MemoryHost(base, recorded), commands };
}

const wanting = (contents: Partial<MachineContents>): MachineContents => ({ ...emptyContents, ...contents });
const textOf = async (host: MemoryHost, path: string): Promise<string> => {
  const file = await host.read(path);
  return file.type === "text" ? file.text : file.type;
};

describe("boot arguments are set with the tool that the node has (machine-config W-27)", () => {
  const contents = wanting({ kernelArguments: ["quiet", 'x="a b"', "quiet"] });

  test("rpm-ostree: one transaction, and as many are removed as were added (machine-config W-11)", async () => {
    let kargs = ["root=/dev/sda1", "ro", "quiet"];
    const { host, commands } = node(
      {},
      {
        "rpm-ostree": ([verb, ...options]) => {
          if (verb === "status") return exited("State: idle\n");
          for (const option of options) {
            const [, how, word = ""] = /^--(append|delete-if-present)=(.*)$/.exec(option)!;
            if (how === "append") kargs.push(word);
            else if (kargs.includes(word)) kargs.splice(kargs.lastIndexOf(word), 1);
          }
          return exited(`${kargs.join(" ")}\n`);
        },
      },
    );
    expect(await applyContents({ contents, config: "one", host })).toEqual({ problems: [], findings: [] });
    expect(kargs).toEqual(["root=/dev/sda1", "ro", "quiet", "quiet", 'x="a b"', "quiet"]);
    await applyContents({ contents: wanting({ kernelArguments: ["y"] }), config: "two", host });
    expect(kargs).toEqual(["root=/dev/sda1", "ro", "quiet", "y"]);
    expect(commands.filter((line) => line.includes("kargs --"))).toHaveLength(2);
    expect(await releaseContents(host)).toEqual([]);
    expect(kargs).toEqual(["root=/dev/sda1", "ro", "quiet"]);
  });

  test("entries of kernel-install, with a copy of the booted one", async () => {
    const folder = "/boot/loader/entries";
    const entry = "title Linux\nversion 6.1\nsort-key debian\noptions root=/dev/sda1 ro quiet\nlinux /vmlinuz\n";
    const files = { [`${folder}/abc-6.1.conf`]: entry, "/etc/kernel/cmdline": "root=/dev/sda1 ro quiet\n" };
    const { host } = node(files);
    expect(await applyContents({ contents, config: "one", host })).toEqual({ problems: [], findings: [] });
    const added = 'root=/dev/sda1 ro quiet quiet x="a b" quiet';
    expect(await textOf(host, `${folder}/abc-6.1.conf`)).toContain(`options ${added}\n`);
    expect(await textOf(host, "/etc/kernel/cmdline")).toBe(`${added}\n`);
    expect(await textOf(host, `${folder}/abc-0-attune-previous.conf`)).toBe(
      "title Linux (before the last change of boot arguments)\nversion 0\noptions root=/dev/sda1 ro quiet\nlinux /vmlinuz\n",
    );
    await applyContents({ contents, config: "one", host });
    expect(await textOf(host, "/etc/kernel/cmdline")).toBe(`${added}\n`);
    expect(await releaseContents(host)).toEqual([]);
    expect(await textOf(host, `${folder}/abc-6.1.conf`)).toBe(entry);
    expect(await host.list(folder)).toEqual(["abc-6.1.conf"]);
  });

  test("GRUB of Fedora, whose one file of defaults keeps the lines of others", async () => {
    const config = "menuentry 'Linux' {\n\tlinux /vmlinuz root=/dev/sda1 ro quiet\n}\n";
    const files = { "/etc/default/grub": "GRUB_TIMEOUT=5\n", "/boot/grub2/grub.cfg": config };
    const { host, commands } = node(files, { "grub2-mkconfig": () => exited() });
    await applyContents({ contents: wanting({ kernelArguments: ["a", "b=$x"] }), config: "one", host });
    expect(await textOf(host, "/etc/default/grub")).toBe(
      [
        "GRUB_TIMEOUT=5",
        "# BEGIN Attune: boot arguments of the machine config",
        'GRUB_CMDLINE_LINUX_DEFAULT="${GRUB_CMDLINE_LINUX_DEFAULT:+$GRUB_CMDLINE_LINUX_DEFAULT }a b=\\\\\\$x"',
        "# END Attune: boot arguments of the machine config",
        "",
      ].join("\n"),
    );
    expect(commands).toEqual(["grub2-mkconfig -o /boot/grub2/grub.cfg"]);
    expect(await textOf(host, "/boot/grub2/custom.cfg")).toContain("--id attune-previous");
    expect(await releaseContents(host)).toEqual([]);
    expect(await textOf(host, "/etc/default/grub")).toBe("GRUB_TIMEOUT=5\n");
    expect(await textOf(host, "/boot/grub2/custom.cfg")).toBe("missing");
  });

  test("but not if the kernel would not read them to their end, with those that the node has", async () => {
    const { host } = node({ "/etc/default/grub": "", "/boot/grub/grub.cfg": "menuentry 'a' {\n  linux /k\n}\n" });
    const long = wanting({ kernelArguments: ["x".repeat(2004)] });
    expect((await applyContents({ contents: long, config: "one", host })).problems).toEqual([
      "kernelArguments: the kernel reads at most 2047 characters of its command line, and this one would have 2048",
    ]);
  });

  test("or the config is not applied, and says why", async () => {
    const { host } = node({});
    const { problems } = await applyContents({ contents, config: "one", host });
    expect(problems).toEqual([expect.stringContaining("kernelArguments: the node has neither rpm-ostree")]);
  });
});

describe("verification", () => {
  test("names what the running kernel lacks, and what an earlier config left (machine-config W-11)", async () => {
    const { host } = node({ "/proc/cmdline": "ro quiet old=1 a\n", "/etc/kernel/cmdline": "ro a b\n" });
    const contents = wanting({ kernelArguments: ["a", "b"] });
    const { problems } = await verifyContents(
      { contents, config: "one", host },
      { before: ["old=1", "quiet"], base: ["ro", "quiet"] },
    );
    expect(problems).toContain("kernelArguments: /proc/cmdline lacks b");
    expect(problems).toContain("kernelArguments: /proc/cmdline still has old=1");
  });

  test("finds a unit that should be enabled and is not (machine-config W-10)", async () => {
    const unit = { name: "a.service", contents: "[Service]\n", isEnabled: true, dropins: [] };
    const { host } = node(
      { "/etc/systemd/system/a.service": "[Service]\n" },
      { systemctl: () => exited("disabled\n", 1) },
    );
    const { problems } = await verifyContents({ contents: wanting({ units: [unit] }), config: "one", host });
    expect(problems).toEqual(["systemd.units a.service enabled: is disabled, expected enabled"]);
  });
});

test("nothing is written that does not differ, and systemd reads units once (machine-config W-25)", async () => {
  const units = ["a", "b"].map((name) => ({
    name: `${name}.service`,
    contents: "[Service]\n",
    isEnabled: true,
    dropins: [],
  }));
  const enabled = new Set<string>();
  const systemctl: MemoryCommand = ([verb, ...names]) => {
    if (verb === "enable") for (const name of names) enabled.add(name);
    return verb === "is-enabled" ? exited(enabled.has(names[0] ?? "") ? "enabled\n" : "disabled\n") : exited();
  };
  const { host, commands } = node({}, { systemctl });
  const contents = wanting({ units });
  await applyContents({ contents, config: "one", host, reloadUnits: true });
  const acts = (): string[] => commands.filter((line) => !line.includes("is-enabled"));
  expect(acts()).toEqual(["systemctl daemon-reload", "systemctl enable a.service b.service"]);
  const before = new Map(host.changes());
  await applyContents({ contents, config: "one", host });
  expect(acts()).toHaveLength(2);
  expect(host.changes()).toEqual(before);
});

test("a machine on which systemd takes all the time that it allows is not taken for one that failed", async () => {
  // A reload of systemd has 180 s.
  const systemctl: MemoryCommand = ([verb], _host, { timeoutMs = 10_000 }) =>
    timeoutMs <= 180_000
      ? { type: "failed", message: `systemctl: stopped after ${timeoutMs} ms` }
      : exited(verb === "is-enabled" ? "disabled\n" : "");
  const { host, commands } = node({}, { systemctl });
  const unit = { name: "a.service", contents: "[Service]\n", isEnabled: true, dropins: [] };
  const contents = wanting({ units: [unit, { ...unit, name: "b.service", contents: undefined }] });
  expect(await applyContents({ contents, config: "one", host, reloadUnits: true })).toEqual({
    problems: [],
    findings: [],
  });
  expect(commands).toContain("systemctl enable a.service b.service");
  expect(await act([{ type: "Restart", service: "b.service" }, { type: "DaemonReload" }], host)).toEqual([]);
});

test("a restart of the node is asked for, even if the shutdown ends the program that asked", async () => {
  const ended = { type: "failed", message: "systemctl: ended by SIGTERM", signal: "SIGTERM" } as const;
  const { host } = node({}, { systemctl: () => ended });
  expect(await act([{ type: "Reboot" }], host)).toEqual([]);
  expect(await act([{ type: "DaemonReload" }], host)).toEqual([`systemctl daemon-reload: ${ended.message}`]);
  const late = node({}, { systemctl: () => ({ type: "failed", message: "systemctl: stopped after 300000 ms" }) });
  expect(await act([{ type: "Reboot" }], late.host)).toHaveLength(1);
});

test.each([
  ["inactive\n", []],
  ["active\n", ["systemctl reload crio.service", "systemctl restart crio.service"]],
  ["failed\n", ["systemctl reload crio.service", "systemctl restart crio.service"]],
])("CRI-O is reloaded and restarted only where it is the container runtime (%j)", async (state, expected) => {
  const { host, commands } = node(
    {},
    {
      systemctl: ([verb]) => {
        if (verb === "is-active") return exited(state, state === "active\n" ? 0 : 3);
        return exited("", state === "inactive\n" ? 5 : 0);
      },
    },
  );
  const service = "crio.service";
  const actions = [{ type: "Special" }, { type: "Reload", service }, { type: "Restart", service }] as const;
  expect(await act(actions, host)).toEqual([]);
  expect(commands.filter((command) => !command.includes("is-active"))).toEqual(expected);
  // A service that a policy of the cluster names by mistake is no secret.
  if (state === "inactive\n")
    expect(await act([{ type: "Reload", service: "other.service" }], host)).toEqual([
      "systemctl reload other.service: exit code 5: ",
    ]);
});

test.each([
  ["/usr/lib/systemd/system/coreos-update-ca-trust.service", ["systemctl restart coreos-update-ca-trust.service"]],
  ["/usr/bin/update-ca-trust", ["update-ca-trust extract"]],
  ["/usr/sbin/update-ca-certificates", []],
])("authorities of a config come into force with what a host has (%s)", async (path, expected) => {
  const { host, commands } = node(
    { [path]: "" },
    { systemctl: () => exited("", 0), "update-ca-trust": () => exited("", 0) },
  );
  expect(await act([{ type: "Restart", service: "coreos-update-ca-trust.service" }], host)).toEqual([]);
  expect(commands).toEqual(expected);
});

test("a user that leaves the config gets its own password back, never an empty one (machine-config W-26)", async () => {
  const usermod: MemoryCommand = async ([, hash, name], host) => {
    host.put("/etc/shadow", `root:*:1::::::\n${name}:${hash}:1::::::\n`);
    return exited();
  };
  const shadow = "root:*:1::::::\ncore:!locked:1::::::\n";
  const { host } = node({ "/etc/shadow": shadow, "/etc/passwd": "core:x:1:1::/home/core:\n" }, { usermod });
  const user = { name: "core", keys: [], passwordHash: "$6$hash" };
  await applyContents({ contents: wanting({ users: [user] }), config: "one", host });
  expect(await textOf(host, "/etc/shadow")).toContain("core:$6$hash:");
  await applyContents({ contents: emptyContents, config: "two", host });
  expect(await textOf(host, "/etc/shadow")).toBe(shadow);
});

describe("keys of users", () => {
  const passwd = { "/etc/passwd": "core:x:1000:1000::/home/core:\n" };
  const users = [{ name: "core", keys: ["ssh-ed25519 A"] }];
  const apply = (host: MemoryHost, contents = wanting({ users })): Promise<unknown> =>
    applyContents({ contents, config: "one", host });

  test.each([
    "AuthorizedKeysCommand /usr/libexec/ssh-key-dir %u\n",
    "AuthorizedKeysFile .ssh/authorized_keys.d/ignition\n",
  ])("are a file of their own where sshd reads several: %s", async (text) => {
    const { host } = node({ ...passwd, "/etc/ssh/sshd_config.d/40-keys.conf": text });
    await apply(host);
    expect(await textOf(host, "/home/core/.ssh/authorized_keys.d/ignition")).toBe("ssh-ed25519 A\n");
    expect(await textOf(host, "/home/core/.ssh/authorized_keys")).toBe("missing");
  });

  test("are added to the keys of others where sshd reads one file, which keeps its owner, and are taken back", async () => {
    const path = "/home/core/.ssh/authorized_keys";
    const { host } = node({ ...passwd, "/etc/ssh/sshd_config": "#AuthorizedKeysFile .ssh/authorized_keys.d/x\n" });
    await host.replace(path, "ssh-rsa own\n", { mode: 0o600, uid: 1000, gid: 1000 });
    await apply(host);
    await apply(host, wanting({ users: [{ name: "core", keys: ["ssh-ed25519 B"] }] }));
    expect(await textOf(host, path)).toBe("ssh-rsa own\n# BEGIN Attune\nssh-ed25519 B\n# END Attune\n");
    expect(await host.stat(path)).toMatchObject({ mode: 0o600, uid: 1000 });
    await apply(host, emptyContents);
    expect(await textOf(host, path)).toBe("ssh-rsa own\n");
    expect(await host.stat(path)).toMatchObject({ mode: 0o600, uid: 1000 });
  });

  test("are not written through links, which the user can make (machine-config W-7)", async () => {
    for (const link of ["/home/core/.ssh", "/home/core/.ssh/authorized_keys"]) {
      const { host } = node(passwd);
      await host.placeLink(link, { target: "/root/.ssh" });
      expect(await apply(host)).toMatchObject({
        problems: [`passwd.users core ${link}: is a link, and keys are not written through one`],
      });
      expect(await host.stat(link)).toMatchObject({ type: "link" });
    }
  });
});

test("no config writes to Attune's own folders, directly or through a link", async () => {
  const { host } = node({});
  await host.placeLink("/etc/state", { target: "/var/lib/attune" });
  const file = { path: "/etc/state/journal.json", mode: 0o644, bytes: new Uint8Array() };
  const { problems } = await applyContents({ contents: wanting({ files: [file] }), config: "one", host });
  expect(problems).toEqual([expect.stringContaining("/var/lib/attune is Attune's own")]);
  const storage = {
    directories: [{ path: "/var/lib/attune" }],
    files: [{ path: "/run/attune/x" }, { path: "/var/lib/attuned" }],
  };
  expect(readContents({ config: { ignition: { version: "3.5.0" }, storage } })).toMatchObject({
    type: "problems",
    problems: [{ field: "spec.config.storage.directories[0].path" }, { field: "spec.config.storage.files[0].path" }],
  });
});

test("a file that another process has made huge is drift and is repaired, and a huge original is kept from being replaced", async () => {
  const root = await mkdtemp(join(tmpdir(), "attune-huge-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const host = new LinuxHost(root);
  await mkdir(join(root, dirname(bootIdPath)), { recursive: true });
  await writeFile(join(root, bootIdPath), "boot\n");
  const owner = { uid: process.getuid!(), gid: process.getgid!() };
  const account = { user: { type: "id", id: owner.uid }, group: { type: "id", id: owner.gid } } as const;
  const files = [{ path: "/etc/a", mode: 0o644, bytes: new TextEncoder().encode("x"), ...account }];
  const wanted = { contents: { ...emptyContents, files }, config: "v1", host };
  const grow = async (): Promise<void> => {
    await host.replace("/etc/a", "");
    await truncate(join(root, "etc/a"), 2 ** 31);
  };
  await grow();
  expect((await applyContents(wanted)).problems).toEqual([expect.stringContaining("has 2147483648 bytes")]);
  await host.replace("/etc/a", "own");
  expect((await applyContents(wanted)).problems).toEqual([]);
  await grow();
  expect((await verifyContents(wanted)).problems).toEqual([expect.stringContaining("has 2147483648 bytes")]);
  expect((await applyContents(wanted)).problems).toEqual([]);
  expect(await host.read("/etc/a")).toEqual({ type: "text", text: "x" });
  expect(await releaseContents(host)).toEqual([]);
  expect(await host.read("/etc/a")).toEqual({ type: "text", text: "own" });
});
