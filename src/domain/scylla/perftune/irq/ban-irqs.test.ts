import { describe, expect, it } from "vitest";
import type { IrqbalanceFacts } from "../host-facts.ts";
import type { PerftuneAction } from "../action.ts";
import { banIrqs } from "./ban-irqs.ts";

type Bans = Extract<PerftuneAction, { type: "ban-irqs" }>;

const path = "/etc/default/irqbalance";

function plan(
  text: string,
  wanted: readonly number[],
  more: Partial<IrqbalanceFacts> = {},
): ReturnType<typeof banIrqs> {
  const facts = { hasUnit: true, isSystemd: true, hasBackup: false, bannedByUs: [], config: { path, text }, ...more };
  return banIrqs({ irqbalance: facts, wanted, isStale: (irq) => irq >= 100 });
}

function bans(...args: Parameters<typeof plan>): Bans {
  const steps = plan(...args);
  const found = "type" in steps ? undefined : steps.find((step): step is Bans => step.type === "ban-irqs");
  if (!found) throw new Error(JSON.stringify(steps));
  return found;
}

describe("bans of IRQs", () => {
  it.each([
    ["an empty file", "", 'IRQBALANCE_ARGS=" --banirq=7"\n'],
    ["an empty value", 'IRQBALANCE_ARGS=""\n', 'IRQBALANCE_ARGS=" --banirq=7"\n'],
    ["a value without quotes", "IRQBALANCE_ARGS=--debug\n", 'IRQBALANCE_ARGS="--debug --banirq=7"\n'],
    ["what perftune.py leaves of it", 'IRQBALANCE_ARGS= --banirq=7"\n', 'IRQBALANCE_ARGS=" --banirq=7"\n'],
    ["single quotes", "IRQBALANCE_ARGS='--a \"b\"'\n", "IRQBALANCE_ARGS='--a \"b\" --banirq=7'\n"],
    [
      "another option with the same first letters",
      "IRQBALANCE_ARGS2=x\n",
      'IRQBALANCE_ARGS2=x\nIRQBALANCE_ARGS=" --banirq=7"\n',
    ],
    [
      "a comment and a file without a last line break",
      "#IRQBALANCE_ARGS=x\nA=1",
      '#IRQBALANCE_ARGS=x\nA=1\nIRQBALANCE_ARGS=" --banirq=7"\n',
    ],
    ["a ban that begins alike", 'IRQBALANCE_ARGS="--banirq=77"\n', 'IRQBALANCE_ARGS="--banirq=77 --banirq=7"\n'],
  ])("are added to %s", (_, before, after) => {
    expect(bans(before, [7])).toMatchObject({ text: after, backup: `${path}.scylla.orig` });
  });

  it("are the same after a second run", () => {
    const once = bans("", [7, 8]);
    expect(bans(once.text, [7, 8], { bannedByUs: once.irqs })).toMatchObject({ text: once.text, irqs: once.irqs });
  });

  it("scylla W-15: go when their IRQ is gone, if they are ours", () => {
    const text = 'IRQBALANCE_ARGS="--banirq=100 --banirq=101 --banirq=5"\n';
    expect(bans(text, [7], { bannedByUs: [5, 101] })).toMatchObject({
      line: 'IRQBALANCE_ARGS="--banirq=100 --banirq=5 --banirq=7"',
      irqs: [5, 7],
    });
    expect(bans(text, [], { bannedByUs: [101] })).toMatchObject({
      irqs: [],
      line: 'IRQBALANCE_ARGS="--banirq=100 --banirq=5"',
    });
  });

  it.each<[string, Partial<IrqbalanceFacts>, string, string[]]>([
    ["Debian's unit", {}, "IRQBALANCE_ARGS", ["systemctl", "try-restart", "irqbalance"]],
    [
      "a unit that reads the old variable",
      { unitText: "ExecStart=/usr/sbin/irqbalance --foreground $OPTIONS" },
      "OPTIONS",
      ["systemctl", "try-restart", "irqbalance"],
    ],
    ["an init script", { hasUnit: false }, "OPTIONS", ["/etc/init.d/irqbalance", "restart"]],
    [
      "Gentoo",
      { config: { path: "/etc/conf.d/irqbalance", text: "" } },
      "IRQBALANCE_OPTS",
      ["systemctl", "try-restart", "irqbalance"],
    ],
    [
      "Gentoo with OpenRC",
      { config: { path: "/etc/conf.d/irqbalance", text: "" }, isSystemd: false },
      "IRQBALANCE_OPTS",
      ["/etc/init.d/irqbalance", "restart"],
    ],
  ])("are where %s reads them", (_, facts, key, argv) => {
    expect(bans("", [7], facts).key).toBe(key);
    expect(plan("", [7], facts)).toContainEqual({ type: "run", argv });
  });

  it.each([
    ["two lines", "IRQBALANCE_ARGS=a\nIRQBALANCE_ARGS=b\n", "2 lines assign IRQBALANCE_ARGS"],
    ["a value of two lines", "IRQBALANCE_ARGS=a \\\n b\n", "continues on the next line"],
    ["a quote without end", 'IRQBALANCE_ARGS="a\n', "not between one pair of quotes"],
    ["quotes within a value", 'IRQBALANCE_ARGS=a"b"c\n', "not between one pair of quotes"],
    ["a command after the value", 'IRQBALANCE_ARGS="a"; reboot "now"\n', "not between one pair of quotes"],
  ])("are not added to %s", (_, text, problem) => {
    expect(plan(text, [7])).toMatchObject({ type: "refused", exitCode: 1, problem: expect.stringContaining(problem) });
  });

  it("need neither a daemon nor its config, and no IRQ needs none", () => {
    const wanted = { wanted: [7], isStale: () => true };
    expect(banIrqs({ ...wanted, irqbalance: undefined })).toEqual([
      { type: "note", text: "irqbalance is not running" },
    ]);
    expect(
      banIrqs({ ...wanted, irqbalance: { hasUnit: true, isSystemd: true, hasBackup: false, bannedByUs: [] } }),
    ).toHaveLength(1);
    expect(plan("", [])).toEqual([]);
  });

  it("of 10,000 IRQs are one line", () => {
    const wanted = Array.from({ length: 10_000 }, (_, irq) => irq);
    expect(bans("", wanted).line.match(/--banirq/g)).toHaveLength(10_000);
  });
});
