import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { machine } from "../../src/embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { newSince220, tunedPlugins } from "../../src/language/tuned/version-differences.ts";
import { noAnswers } from "../../src/language/tuned/probe.ts";
import { resolve } from "../../src/language/tuned/resolve.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import { Ledger } from "../../src/node/engine/ledger.ts";
import { planUnits } from "../../src/node/engine/plan-units.ts";
import { isLeftToTuned } from "../../src/node/engine/plugins/left-to-tuned.ts";
import { nativePlugins } from "../../src/node/engine/plugins/native-plugins.ts";

interface RecordedPlugin {
  readonly plugin: string;
  /** Keys beyond the options are names of files, modules, services or groups. */
  readonly anyKey: boolean;
  readonly new?: true | readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

const recorded = parse(
  readFileSync(join(import.meta.dirname, "../fixtures/tuned/40-plugin-options.yaml"), "utf8"),
) as RecordedPlugin[];

test("every plug-in of TuneD is known", () => {
  expect(recorded.map(({ plugin }) => plugin).toSorted()).toEqual([...tunedPlugins].toSorted());
});

test("what TuneD 2.20 lacks is known", () => {
  expect(recorded.filter((one) => one.new === true).map(({ plugin }) => plugin)).toEqual([...newSince220.plugins]);
  const options = recorded.flatMap(({ plugin, new: added = [] }) =>
    added === true ? [] : added.map((option) => `${plugin}.${option}`),
  );
  expect(options.toSorted()).toEqual([...newSince220.options].toSorted());
});

/** Each with a device: a unit without one is not planned. */
const plugins = new Map(
  nativePlugins.map((plugin) => [
    plugin.type,
    plugin.devices ? { ...plugin, devices: () => Promise.resolve(["device"]) } : plugin,
  ]),
);
const native = recorded.filter(({ plugin }) => !isLeftToTuned(plugin));

/** The options that the plug-in says it does not have. */
async function unknown(plugin: string, options: readonly string[]): Promise<string[]> {
  const text = `[${plugin}]\n${options.map((option) => `${option}=1\n`).join("")}`;
  const layers = [new Map([["p", parseProfile(text, "p/tuned.conf")]])];
  const resolved = resolve({ profile: "p", layers }, noAnswers);
  if (resolved.type !== "resolved") throw new Error(`not resolved: ${JSON.stringify(resolved)}`);
  const host = machine(machineBase(smallMachine));
  const { profile } = resolved;
  const steps = await planUnits({ profile, host, ledger: new Ledger(), plugins, purpose: "verify", options: {} });
  return steps.flatMap((step) =>
    "message" in step && step.message === `is not an option of [${plugin}]` ? [step.option] : [],
  );
}

describe.each(native)("the native plug-in $plugin", ({ plugin, options, anyKey }) => {
  test("has every option of TuneD's (W-25)", async () => {
    expect(await unknown(plugin, Object.keys(options))).toEqual([]);
  });

  if (anyKey) return;
  test("names an option that TuneD does not have", async () => {
    expect(await unknown(plugin, ["no_such_option"])).toEqual(["no_such_option"]);
  });
});
