import { chmodSync, readdirSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { clearIrqbalanceBannedCpus as script } from "../../../src/domain/performance-profile/machine-config/scripts/clear-irqbalance-banned-cpus.ts";
import { onEachShell } from "./on-each-shell.ts";

const settings = "/etc/sysconfig/irqbalance";
const saved = "/etc/sysconfig/orig_irq_banned_cpus";

onEachShell("lifting the ban of CPUs", (makeNode) => {
  test.each([
    ["no ban", "# irqbalance\nIRQBALANCE_ONESHOT=\n", "# irqbalance\nIRQBALANCE_ONESHOT=\nIRQBALANCE_BANNED_CPUS=0"],
    ["an empty ban", "A=1\nIRQBALANCE_BANNED_CPUS=\nB=2\n", "A=1\nB=2\nIRQBALANCE_BANNED_CPUS=0"],
    ["a ban", "IRQBALANCE_BANNED_CPUS=ff,00000000\nB=2\n", "B=2\nIRQBALANCE_BANNED_CPUS=0"],
    ["nothing but a ban", "IRQBALANCE_BANNED_CPUS=ff\n", "IRQBALANCE_BANNED_CPUS=0"],
    ["several bans", "IRQBALANCE_BANNED_CPUS=f\nA=1\n \tIRQBALANCE_BANNED_CPUS=e\n", "A=1\nIRQBALANCE_BANNED_CPUS=0"],
    ["a ban in a comment", "#IRQBALANCE_BANNED_CPUS=f\n", "#IRQBALANCE_BANNED_CPUS=f\nIRQBALANCE_BANNED_CPUS=0"],
    ["a last line without an end", "A=1", "A=1\nIRQBALANCE_BANNED_CPUS=0"],
    ["an empty file", "", "IRQBALANCE_BANNED_CPUS=0"],
  ])("works on %s, and is idempotent", (_, before, after) => {
    const node = makeNode({ [settings]: before });
    for (const _time of ["once", "twice"]) {
      expect(node.run(script)).toEqual({ code: 0, out: "", err: "" });
      expect(node.read(settings)).toBe(after);
    }
    expect(readdirSync(node.at("/etc/sysconfig"))).toEqual(["irqbalance"]);
  });

  test("leaves those of OVS-DPDK banned", () => {
    const node = makeNode({ [settings]: "IRQBALANCE_BANNED_CPUS=ff\n", [saved]: "ff" });
    expect(node.run(script, { OVS_DPDK_CPUS: "c" })).toMatchObject({ code: 0 });
    expect(node.read(settings)).toBe("IRQBALANCE_BANNED_CPUS=c");
    expect(node.read(saved)).toBe("c");
  });

  test.each([
    ["ffffffff", "ffffffff"],
    ["100000000", "1,00000000"],
    ["30000000c000000000000000f", "3,0000000c,00000000,0000000f"],
    ["3,0000000c", "3,0000000c"],
  ])("writes the mask %s as irqbalance reads it", (mask, written) => {
    const node = makeNode({ [settings]: "", [saved]: "" });
    expect(node.run(script, { OVS_DPDK_CPUS: mask })).toMatchObject({ code: 0, err: "" });
    expect(node.read(settings)).toBe(`IRQBALANCE_BANNED_CPUS=${written}`);
    expect(node.read(saved)).toBe(written);
  });

  test("makes CRI-O restore the same mask", () => {
    const node = makeNode({ [settings]: "", [saved]: "ff" });
    node.run(script, { OVS_DPDK_CPUS: "" });
    expect(node.read(saved)).toBe("0");
  });

  test("does nothing without irqbalance", () => {
    const node = makeNode({ [saved]: "ff" });
    expect(node.run(script)).toMatchObject({ code: 0, err: "" });
    expect(node.read(settings)).toBeUndefined();
    expect(node.read(saved)).toBe("ff");
  });

  test("works on other files", () => {
    const node = makeNode({ [settings]: "A=1\n", [saved]: "ff", "/other": "B=1\n", "/mask": "3" });
    expect(node.run(script, {}, [node.at("/other"), node.at("/mask")])).toMatchObject({ code: 0 });
    expect(node.read("/other")).toBe("B=1\nIRQBALANCE_BANNED_CPUS=0");
    expect(node.read("/mask")).toBe("0");
    expect([node.read(settings), node.read(saved)]).toEqual(["A=1", "ff"]);
  });

  test("accepts that CRI-O saves no mask", () => {
    const node = makeNode({ "/other": "", [saved]: "ff" });
    expect(node.run(script, {}, [node.at("/other"), ""])).toMatchObject({ code: 0 });
    expect(node.read(saved)).toBe("ff");
  });

  test("keeps the mode of the settings", () => {
    const node = makeNode({ [settings]: "A=1\n" });
    chmodSync(node.at(settings), 0o640);
    node.run(script);
    expect(statSync(node.at(settings)).mode & 0o777).toBe(0o640);
  });

  test("keeps the old settings when it cannot write new ones", () => {
    const node = makeNode({ [settings]: "A=1\n", [saved]: "ff" });
    node.program("cp", "exit 1");
    expect(node.run(script).code).not.toBe(0);
    expect([node.read(settings), node.read(saved)]).toEqual(["A=1", "ff"]);
  });
});
