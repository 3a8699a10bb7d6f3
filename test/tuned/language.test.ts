import { describe, expect, test } from "vitest";
import { bootCommandLine } from "../../src/language/tuned/boot-arguments.ts";
import { matchesDevices } from "../../src/language/tuned/pattern/glob.ts";
import { expand, type Expansion } from "../../src/language/tuned/expand.ts";
import { parseGlobalConfig } from "../../src/language/tuned/text/global-config.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import type { Notice } from "../../src/language/tuned/problem.ts";
import { chassisNames } from "../../src/language/tuned/chassis-names.ts";
import { recommend, type RecommendFolder } from "../../src/language/tuned/recommend.ts";
import { type Resolution, resolve } from "../../src/language/tuned/resolve.ts";
import type { Setting, Unit } from "../../src/language/tuned/unit.ts";
import { assign, isSameValue, normalValue, optionIsTrue } from "../../src/language/tuned/value.ts";
import { deviations } from "./deviations.ts";
import { runPrimitive } from "./primitives.ts";
import { folder, type RecordedCase, recorded } from "./recorded-case.ts";
import { untilAnswered } from "./recorded-node.ts";

function cases(file: string, kind: string): RecordedCase[] {
  return recorded(file).filter((one) => one.kind === kind && !Object.hasOwn(deviations, one.id));
}

function levelled(notices: readonly Pick<Notice, "level" | "message">[]): [string, string][] {
  return notices.map(({ level, message }) => [level.toUpperCase(), message]);
}

/** Python names the error of a file in its own words. */
function logsOf({ expect: { logs = [] } }: RecordedCase): [string, string][] {
  return logs.map(([level, , message]) => [
    level,
    message.replace(/^(Error when reading file '[^']*'): .*/, "$1: 'no such file'"),
  ]);
}

function load({ input }: RecordedCase): Exclude<Resolution, { type: "needs" }> {
  const layers = (input.dirs ?? []).map(
    ({ path, profiles }) =>
      new Map(
        Object.entries(profiles).map(([name, text]) => [
          name,
          parseProfile(text, `${folder}/${path}/${name}/tuned.conf`),
        ]),
      ),
  );
  const files = Object.fromEntries(
    Object.entries(input.files ?? {}).map(([path, text]) => [`${folder}/${path}`, text]),
  );
  const [last] = (input.load ?? []).slice(-1);
  const profile = (Array.isArray(last) ? last : (input.load as string[])).join(" ");
  return untilAnswered({ ...input.env, files }, (answers) => resolve({ profile, layers }, answers));
}

function optionOf({ list, raw, value }: Setting): string | string[] {
  return list ? [...list] : (raw ?? value);
}

function unitOf(unit: Unit): Record<string, unknown> {
  const { name, type, enabled, devices } = unit;
  const some = {
    devices_udev_regex: unit.devicesUdevRegex,
    cpuinfo_regex: unit.cpuinfoRegex,
    uname_regex: unit.unameRegex,
    script_pre: unit.scriptPre,
    script_post: unit.scriptPost,
    priority: unit.priority === 0 ? undefined : String(unit.priority),
  };
  return {
    name,
    type,
    enabled,
    devices,
    ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)),
    options: [...unit.options].map(([key, setting]) => [key, optionOf(setting)]),
  };
}

describe.each(["01-parsing", "02-include", "03-merge", "04-variables"])("%s", (file) => {
  test.each(cases(file, "load").map((one) => [one.id, one] as const))("%s", (_, one) => {
    const loaded = load(one);
    if (one.expect.exception) {
      expect(loaded.type).toBe("invalid");
      return;
    }
    if (loaded.type !== "resolved") throw new Error(JSON.stringify(loaded.problems));
    const { profile } = loaded;
    const byName = new Map(profile.units.map((unit) => [unit.name, unit]));
    expect({
      name: profile.profile,
      main: Object.fromEntries(profile.main),
      units: profile.sections.map((name) => unitOf(byName.get(name)!)),
    }).toEqual({ name: one.expect.name, main: one.expect.main, units: one.expect.units });
    expect(
      [...profile.variables].map(([name, value]) => [name.startsWith("TUNED_") ? name : `TUNED_${name}`, value]),
    ).toEqual(one.expect.variables_env);
    for (const [name, options] of Object.entries(one.expect.expanded_options ?? {}))
      expect([...byName.get(name)!.options].map(([key, { value, list }]) => [key, list ?? value])).toEqual(options);
    expect(levelled(profile.warnings.filter(({ message }) => !message.endsWith("ignored")))).toEqual(logsOf(one));
  });
});

test.each(cases("04-variables", "expand").map((one) => [one.id, one] as const))("04-variables %s", (_, one) => {
  const variables = new Map<string, string>();
  const answers = new Map();
  for (const [name, value] of one.input.variables ?? [])
    variables.set(name, expand(value, { variables, answers }).text);
  const results = (one.input.expand ?? []).map((text) => {
    const { problems, text: result } = expand(text, { variables, answers });
    return problems.length > 0 ? "invalid" : result;
  });
  expect(results).toEqual(
    (one.expect.result as unknown[]).map((result) => (typeof result === "string" ? result : "invalid")),
  );
});

function call({ input }: RecordedCase): Expansion {
  const env = input.env ?? {};
  return untilAnswered(env, (answers) => {
    const expansion = expand(input.expr ?? "", { variables: new Map(), answers });
    return expansion.probes.length > 0 ? { type: "needs" as const, probes: expansion.probes } : expansion;
  });
}

test.each(cases("05-functions", "function").map((one) => [one.id, one] as const))("05-functions %s", (_, one) => {
  const { text, problems, notices } = call(one);
  if (one.expect.exception) {
    expect(problems).toHaveLength(1);
    return;
  }
  expect(one.input.sort_result ? text.split(",").toSorted().join(",") : text).toBe(one.expect.result);
  expect(levelled(notices)).toEqual(logsOf(one));
});

test.each(cases("06-primitives", "cmd").map((one) => [one.id, one] as const))("06-primitives %s", (_, one) => {
  expect(runPrimitive(one)).toEqual(one.expect.file ?? one.expect.result);
});

test.each(cases("07-modifiers-verify", "base").map((one) => [one.id, one] as const))(
  "07-modifiers-verify %s",
  (_, one) => {
    const [first = "", second = null, third = null, fourth] = (one.input.args ?? []) as (
      | string
      | number
      | boolean
      | null
    )[];
    const { method } = one.input;
    if (method === "_process_assignment_modifiers") {
      const assigned = assign(`${first}`, second === null ? undefined : `${second}`);
      const written = assigned.type === "keep" ? null : assigned.value;
      expect(written).toBe(one.expect.result === null ? null : `${one.expect.result as string | number}`);
      expect(assigned.type === "incomparable").toBe(one.expect.logs !== undefined);
    } else if (method === "_norm_value") expect(normalValue(`${first}`)).toBe(one.expect.result);
    else if (method === "_verify_value")
      expect(third === null ? fourth : isSameValue(`${second}`, `${third}`)).toBe(one.expect.result);
    else expect(optionIsTrue(`${first}`)).toBe(one.expect.result);
  },
);

test.each(cases("08-device-match", "match").map((one) => [one.id, one] as const))("08-device-match %s", (_, one) => {
  const { rules = "", devices = [] } = one.input;
  expect(devices.filter((device) => matchesDevices(rules, device))).toEqual(one.expect.result);
});

test.each(cases("09-bootloader-cmdline", "bootcmd").map((one) => [one.id, one] as const))(
  "09-bootloader-cmdline %s",
  (_, one) => {
    const options = new Map(
      (one.input.options ?? []).map(([key, value]) => [key, { value, from: "p:1", overrides: [] }]),
    );
    expect(bootCommandLine(options) || null).toBe(one.expect.cmdline);
  },
);

test.each(cases("10-recommend", "recommend").map((one) => [one.id, one] as const))("10-recommend %s", (_, one) => {
  const { conf = "", tree, files = {}, root, chassis, env } = one.input;
  const inFolder = (path: string): RecommendFolder => {
    const inside = Object.entries(files).filter(([file]) => file.startsWith(`${path}/`));
    return { path, files: new Map(inside.map(([file, text]) => [file.slice(path.length + 1), text])) };
  };
  const sources = tree
    ? { file: files["etc/recommend.conf"], folders: [inFolder("usr/recommend.d"), inFolder("etc/recommend.d")] }
    : { file: conf, folders: [] };
  const environment = {
    ...env,
    files: {
      ...env?.files,
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])),
      ...(chassis && {
        "/sys/devices/virtual/dmi/id/chassis_type": `${chassisNames.findIndex((name) => name === chassis)}\n`,
      }),
    },
  };
  const result = untilAnswered(environment, (answers) => recommend(sources, { answers, root }));
  // Where no rule holds, the recorded function returns nothing, and TuneD takes balanced.
  expect(result).toMatchObject({ profile: one.expect.result ?? "balanced" });
});

test.each(cases("11-global-config", "gconf").map((one) => [one.id, one] as const))("11-global-config %s", (_, one) => {
  const config = parseGlobalConfig(one.input.conf ?? "", `${folder}/m.conf`);
  if (one.expect.exception) {
    expect(config.problems).toHaveLength(1);
    return;
  }
  const values = (one.input.get ?? []).map(([, key, fallback = null]) => config.options.get(key) ?? fallback);
  expect(values).toEqual(one.expect.result);
  expect(levelled(config.notices)).toEqual(logsOf(one).filter(([, message]) => message.startsWith("Unknown option")));
});

describe("where we deviate", () => {
  const all = ["01-parsing", "02-include", "03-merge", "04-variables", "05-functions"].flatMap(recorded);

  test.each(Object.entries(deviations))("%s", (id, { instead }) => {
    const one = all.find((other) => other.id === id);
    if (!one) throw new Error(`no case ${id}`);
    if (one.kind === "function") {
      const { text, problems } = call(one);
      expect({ text, problems }).toEqual({ text: instead, problems: [] });
      return;
    }
    const loaded = load(one);
    if (loaded.type !== "resolved") expect(loaded.type).toBe(instead);
    else
      expect(
        Object.fromEntries(
          loaded.profile.units.map(({ name, options }) => [
            name,
            Object.fromEntries([...options].map(([key, { value, list }]) => [key, list ?? value])),
          ]),
        ),
      ).toEqual(instead);
  });
});
