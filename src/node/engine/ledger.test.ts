import { describe, expect, test } from "vitest";
import type { Host } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import type { Action } from "./action.ts";
import { repairDrift } from "./drift.ts";
import { enforce } from "./enforce.ts";
import { loadJournal, saveJournal } from "./journal.ts";
import type { Entry } from "./ledger.ts";
import type { UnitStep } from "./unit-step.ts";
import { putBack } from "./put-back.ts";

const bootId = "/proc/sys/kernel/random/boot_id";
const mode = "/sys/k/mode";
const persistent = "/etc/x.conf";

function node(): MemoryHost {
  return new MemoryHost(
    new MemoryBase(
      [
        [bootId, "boot-1\n"],
        [mode, "auto\n"],
        ["/sys/k/other", "1\n"],
        ["/proc/sys/vm/swappiness", "60\n"],
      ],
      [],
      [["/sys/alias", "/sys/k"]],
    ),
  );
}

async function text(host: Host, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : undefined;
}

/** A step that sets a file of the kernel, planned from what it holds. */
async function set(host: Host, path: string, value: string): Promise<UnitStep> {
  const before = (await text(host, path)) ?? "";
  return {
    type: before === value ? "same" : "change",
    unit: "u",
    option: path,
    from: "p:1",
    target: await host.real(path),
    ...(path === (await host.real(path)) ? {} : { alias: path }),
    before,
    value,
    actions: [{ type: "write", path, value }],
    undo: [{ type: "write", path, value: before }],
  };
}

function want(host: Host, owner: string, values: Record<string, string>): ReturnType<typeof enforce> {
  return enforce({
    host,
    owner,
    plan: () => Promise.all(Object.entries(values).map(([path, value]) => set(host, path, value))),
  });
}

async function giveUp(host: Host, owner: string): Promise<string[]> {
  const journal = await loadJournal(host);
  const restored = await putBack({ ledger: journal.ledger, host, owner, which: () => true });
  await saveJournal(host, journal);
  return restored.map(({ target, value }) => `${target}=${value}`);
}

describe("perftune", () => {
  test("holds what it claims, also against an owner that claims it later, which takes effect when it lets go", async () => {
    const host = node();
    await want(host, "perftune", { [mode]: "off" });
    expect((await want(host, "profile", { [mode]: "on" })).settings).toMatchObject([
      { type: "overridden", value: "on", by: { owner: "perftune", value: "off" } },
    ]);
    expect(await text(host, mode)).toBe("off");
    host.put(mode, "else\n");
    expect(await repairDrift(host, { owner: "profile" })).toEqual([]);
    expect(await repairDrift(host)).toMatchObject([{ owner: "perftune", expected: "off", found: "else" }]);
    expect(await giveUp(host, "perftune")).toEqual([`${mode}=on`]);
    expect(await text(host, mode)).toBe("on");
    await giveUp(host, "profile");
    expect(await text(host, mode)).toBe("auto");
  });

  test("does not notice when the profile that it holds against is rolled back", async () => {
    const host = node();
    await want(host, "perftune", { [mode]: "off" });
    await want(host, "profile", { [mode]: "on" });
    expect(await giveUp(host, "profile")).toEqual([]);
    expect(await text(host, mode)).toBe("off");
    expect(await giveUp(host, "perftune")).toEqual([`${mode}=auto`]);
  });

  test.each([["profile", "perftune"] as const, ["perftune", "profile"] as const])(
    "that wants the same value as the profile: the original comes back when %s lets go first",
    async (first, second) => {
      const host = node();
      await want(host, "profile", { [mode]: "off" });
      await want(host, "perftune", { [mode]: "off" });
      await giveUp(host, first);
      expect(await text(host, mode)).toBe("off");
      await giveUp(host, second);
      expect(await text(host, mode)).toBe("auto");
    },
  );
});

test("two processes that claim at the same time both keep their claims", async () => {
  const one = node();
  await Promise.all([want(one, "profile", { [mode]: "on" }), want(one, "perftune", { "/sys/k/other": "10" })]);
  expect(await giveUp(one, "perftune")).toEqual(["/sys/k/other=1"]);
  expect(await giveUp(one, "profile")).toEqual([`${mode}=auto`]);
});

describe("several owners of one thing", () => {
  test("the last to claim it is in force, and the one before takes effect when it releases", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "on" });
    await want(host, "perftune", { [mode]: "off" });
    expect(await text(host, mode)).toBe("off");
    expect((await want(host, "profile", { [mode]: "fast" })).settings).toMatchObject([
      { type: "overridden", value: "fast", by: { unit: "perftune", value: "off" } },
    ]);
    expect(await text(host, mode)).toBe("off");
    expect(await giveUp(host, "perftune")).toEqual([`${mode}=fast`]);
    expect(await giveUp(host, "profile")).toEqual([`${mode}=auto`]);
    expect(await text(host, mode)).toBe("auto");
  });

  test("may release in any order; the last release restores the original", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "on" });
    await want(host, "perftune", { [mode]: "off" });
    expect(await giveUp(host, "profile")).toEqual([]);
    expect(await text(host, mode)).toBe("off");
    expect(await giveUp(host, "perftune")).toEqual([`${mode}=auto`]);
  });
});

describe("an original", () => {
  test("is recorded once for all paths that lead to a file", async () => {
    const host = node();
    await want(host, "profile", { "/sys/alias/mode": "on" });
    await want(host, "profile", { [mode]: "off" });
    expect((await loadJournal(host)).ledger.entries()).toHaveLength(1);
    await giveUp(host, "profile");
    expect(await text(host, mode)).toBe("auto");
  });

  test("is recorded even if the value was as wanted, and restored only if it was changed", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "auto" });
    expect(await giveUp(host, "profile")).toEqual([]);
    await want(host, "profile", { [mode]: "auto" });
    host.put(mode, "else\n");
    await want(host, "profile", { [mode]: "auto" });
    expect(await giveUp(host, "profile")).toEqual([`${mode}=auto`]);
  });

  test("of a file outlives a reboot, of the kernel does not", async () => {
    const host = node();
    await enforce({
      host,
      owner: "profile",
      plan: async () => [
        await set(host, mode, "on"),
        {
          type: "change",
          unit: "u",
          option: "x",
          from: "p:2",
          target: persistent,
          before: "",
          value: "x",
          actions: [{ type: "file", path: persistent, text: "x" }],
          undo: [{ type: "file", path: persistent, text: null }],
          lasts: "persistent",
        },
      ],
    });
    host.put(bootId, "boot-2\n");
    host.put(mode, "auto\n");
    expect(await giveUp(host, "profile")).toEqual([`${persistent}=`]);
    expect(await text(host, persistent)).toBeUndefined();
  });
});

test("changes are undone in reverse order", async () => {
  const host = node();
  await want(host, "profile", { [mode]: "on", "/sys/k/other": "2", "/proc/sys/vm/swappiness": "1" });
  expect(await giveUp(host, "profile")).toEqual(["/proc/sys/vm/swappiness=60", "/sys/k/other=1", `${mode}=auto`]);
});

describe("after a crash, a roll-back", () => {
  const write = (path: string, value: string): Action => ({ type: "write", path, value });
  const restart: Action = { type: "run", argv: ["systemctl", "try-restart", "irqbalance"], tolerate: [5] };
  const edit = (lines: readonly string[]): Action => ({
    type: "edit",
    path: persistent,
    edit: { kind: "lines", key: "K", lines },
  });
  const offline = {
    type: "exited",
    code: 1,
    stdout: "",
    stderr: "System has not been booted with systemd as init system\n",
  } as const;

  /** A node whose journal has one change that was announced, and perhaps never made. */
  async function announced(change: Pick<Entry, "target" | "lasts" | "undo">, files: Record<string, string> = {}) {
    const host = new MemoryHost(
      new MemoryBase(Object.entries({ [bootId]: "boot-1\n", [mode]: "auto\n", ...files }), [mode]),
      [["systemctl", () => offline]],
    );
    const journal = await loadJournal(host);
    const claim = { owner: "profile", from: "p:1", value: "on", actions: [], made: true };
    journal.ledger.claim({ type: "change", ...change, before: "auto", value: "on", actions: [] }, claim);
    const roll = () => putBack({ ledger: journal.ledger, host, owner: "profile", which: () => true });
    return { host, roll, left: () => journal.ledger.entries().length };
  }

  test("drops an original that the node has, even if the file is read-only", async () => {
    const { roll, left } = await announced({ target: mode, lasts: "boot", undo: [write(mode, "auto")] });
    expect([await roll(), left()]).toEqual([[{ target: mode, value: "auto" }], 0]);
  });

  test("still fails for a read-only file with another value, and tries again later", async () => {
    const { roll, left } = await announced({ target: mode, lasts: "boot", undo: [write(mode, "never")] });
    expect([await roll(), left()]).toMatchObject([[{ failed: expect.stringContaining("EACCES") }], 1]);
  });

  test("restores a file whose service cannot be restarted, because systemd does not run", async () => {
    const change = { target: persistent, lasts: "persistent", undo: [edit([]), restart] } as const;
    const { host, roll, left } = await announced(change, { [persistent]: "A=1\nK=2\n" });
    expect(await roll()).toEqual([
      {
        target: persistent,
        value: "auto",
        note: expect.stringMatching(
          /^systemd is not running: systemctl try-restart irqbalance: exit code 1: System has/,
        ),
      },
    ]);
    expect([left(), await text(host, persistent)]).toEqual([0, "A=1"]);
  });

  test("keeps a file whose service could not be restarted by systemd", async () => {
    const change = { target: persistent, lasts: "persistent", undo: [edit([]), restart] } as const;
    const { roll, left } = await announced(change, { [persistent]: "K=2\n", "/run/systemd/system/x": "" });
    expect([await roll(), left()]).toMatchObject([[{ failed: expect.stringContaining("exit code 1") }], 1]);
  });
});

test("a profile with fewer settings restores only the others", async () => {
  const host = node();
  await want(host, "profile", { [mode]: "on", "/sys/k/other": "2" });
  const { restored, settings } = await want(host, "profile", { [mode]: "on" });
  expect(restored).toEqual([{ target: "/sys/k/other", value: "1" }]);
  expect(settings).toMatchObject([{ type: "same" }]);
});

describe("drift", () => {
  test("is found with its owner, and repaired", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "on", "/proc/sys/vm/swappiness": "11" });
    expect(await repairDrift(host)).toEqual([]);
    host.put(mode, "off [else] on\n");
    const drift = { target: mode, owner: "profile", from: `[u] ${mode} (p:1)`, expected: "on", found: "else" };
    expect(await repairDrift(host)).toEqual([drift]);
    expect(await text(host, mode)).toBe("on");
    expect(await repairDrift(host)).toEqual([]);
  });

  test("is distinguished from a new value when applying", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "on" });
    host.put(mode, "else\n");
    expect((await want(host, "profile", { [mode]: "on" })).settings).toMatchObject([{ type: "set", drifted: true }]);
    const [changed] = (await want(host, "profile", { [mode]: "off" })).settings;
    expect(changed).toMatchObject({ type: "set", value: "off" });
    expect(changed).not.toHaveProperty("drifted");
  });

  test("does not include files that went away with their device", async () => {
    const host = node();
    await want(host, "profile", { [mode]: "on" });
    const without: Host = new Proxy(host, {
      get: (target, name: keyof MemoryHost) =>
        name === "read"
          ? async (path: string) => (path === mode ? { type: "missing" } : target.read(path))
          : name === "exclusive"
            ? undefined
            : target[name],
    });
    expect(await repairDrift(without)).toEqual([]);
  });
});

test("runs that may be joined are one program, applying and undoing", async () => {
  const commands: string[] = [];
  const host = new MemoryHost(new MemoryBase([[bootId, "boot-1\n"]]), [
    [
      "ethtool",
      (args) => {
        commands.push(args.join(" "));
        return { type: "exited", code: 0, stdout: "", stderr: "" };
      },
    ],
  ]);
  const step = (name: string): UnitStep => ({
    type: "change",
    unit: "net",
    option: "features",
    from: "p:1",
    target: `ethtool eth0 ${name}`,
    before: "off",
    value: "on",
    actions: [{ type: "run", argv: ["ethtool", "-K", "eth0", name, "on"], shared: 3 }],
    undo: [{ type: "run", argv: ["ethtool", "-K", "eth0", name, "off"], shared: 3 }],
  });
  await enforce({ host, owner: "profile", plan: async () => [step("gro"), step("tso")] });
  await giveUp(host, "profile");
  expect(commands).toEqual(["-K eth0 gro on tso on", "-K eth0 gro off tso off"]);
});
