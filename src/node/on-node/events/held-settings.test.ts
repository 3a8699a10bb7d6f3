import { expect, test } from "vitest";
import type { SettingReport } from "../../engine/engine.ts";
import { Ledger } from "../../engine/ledger.ts";
import { withHolders } from "./held-settings.ts";

const target = "/proc/irq/25/smp_affinity";
const about = { unit: "irq", option: "affinity", from: "p:1", device: "irq25" };
const set: SettingReport = { ...about, type: "set", target, value: "c", before: "ff" };
const failed: SettingReport = { ...about, type: "failed", message: "no such file" };

function claimed(value: string): Ledger {
  const ledger = new Ledger();
  const write = { type: "write", path: target, value } as const;
  ledger.claim(
    { type: "change", target, before: "ff", value, actions: [write], undo: [{ ...write, value: "ff" }] },
    { owner: "perftune", from: "attune perftune", value, actions: [write], made: true },
  );
  return ledger;
}

test("a setting is reported as held from when perftune takes it until it lets it go", () => {
  const held = withHolders([set, failed], claimed("1"));
  expect(held).toMatchObject([{ type: "overridden", value: "c", by: { owner: "perftune", value: "1" } }, failed]);
  expect(withHolders(held, new Ledger())).toEqual([{ ...about, type: "same", target, value: "c" }, failed]);
});

test("a setting for which perftune wants the same is not reported as held", () => {
  expect(withHolders([set], claimed("c"))).toEqual([set]);
});
