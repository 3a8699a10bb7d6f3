import { contentsOf } from "../../src/language/ignition/file-contents.ts";
import { filesOf, type IgnitionFile, type IgnitionUnit, unitsOf } from "../../src/language/ignition/config.ts";
import { parseUnit } from "../../src/language/ignition/unit-text.ts";
import { at, get, isObject } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { ProfileText } from "../../src/domain/node-tuning/api.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";

type Facts = Record<string, unknown>;
/** Section → key → value. */
type Sections = Record<string, Record<string, string>>;

/**
 * The content of derived objects by `Kind/name`, to compare: without comments, order, zero values, bodies of scripts,
 * descriptions and commands of units.
 */
export function reduce(objects: readonly KubeObject[]): Record<string, Facts> {
  return Object.fromEntries(
    objects.map((object) => {
      const { name, namespace, labels } = object.metadata;
      return [`${object.kind}/${name}`, present({ name, namespace, labels, ...factsOf(object) })];
    }),
  );
}

function factsOf(object: KubeObject): Facts {
  switch (object.kind) {
    case "MachineConfig":
      return machineConfig(object);
    case "KubeletConfig":
      return {
        kubelet: nonZero(at(object, "spec", "kubeletConfig")),
        selector: nonZero(at(object, "spec", "machineConfigPoolSelector")),
      };
    case "RuntimeClass":
      return { handler: object["handler"], scheduling: object["scheduling"] };
    case "Tuned":
      return {
        profiles: Object.fromEntries((at(object, "spec", "profile") as ProfileText[]).map(tunedProfile)),
        recommend: at(object, "spec", "recommend"),
      };
    default:
      throw new Error(`reduce ${object.kind}: not a derived kind`);
  }
}

function machineConfig(object: KubeObject): Facts {
  const config = at(object, "spec", "config");
  const units = unitsOf(config).map(unit);
  return {
    files: Object.fromEntries(filesOf(config).map(file)),
    units: units.length > 0 ? Object.fromEntries(units) : undefined,
    kernelType: at(object, "spec", "kernelType"),
    kernelArguments: at(object, "spec", "kernelArguments"),
    extensions: at(object, "spec", "extensions"),
    ignition: at(config, "ignition", "version"),
  };
}

function file(given: IgnitionFile): [string, Facts] {
  const text = contentsOf(given) ?? "";
  const script = text.startsWith("#!");
  const content = script ? undefined : textFacts(text);
  return [given.path, present({ mode: given.mode, kind: script ? "script" : "text", content })];
}

function unit({ name, enabled, contents = "" }: IgnitionUnit): [string, Facts] {
  const directives = [...parseUnit(contents)].flatMap(([section, options]) => {
    const said = [...options].filter(([key]) => !ignored.test(key));
    const values = said.map(([key, all]) => [key, all.map(folded).join(" || ")] as const);
    return values.length > 0 ? [[section, Object.fromEntries(values)] as const] : [];
  });
  return [name, present({ enabled, directives: Object.fromEntries(directives) })];
}

function textFacts(text: string): unknown {
  if (text.trimStart().startsWith("{")) return nonZero(JSON.parse(text));
  const found = sections(text);
  return Object.keys(found).length > 0 ? found : undefined;
}

const ignored = /^(Description|EnvironmentFile|Exec.*)$/;

function sections(text: string): Sections {
  const found: Sections = {};
  let name = "";
  for (const line of text.split("\n").map((one) => one.trim())) {
    const header = /^\[(.*)\]$/.exec(line);
    if (header) name = header[1] ?? "";
    if (header || line === "" || /^[#;]/.test(line)) continue;
    const equals = line.indexOf("=");
    const key = line.slice(0, equals).trim();
    if (ignored.test(key)) continue;
    const value = folded(line.slice(equals + 1));
    const section = (found[name] ??= {});
    section[key] = section[key] === undefined ? value : `${section[key]} || ${value}`;
  }
  return found;
}

function tunedProfile({ name, data }: ProfileText): [string, Sections] {
  const { sections: parsed, problems } = parseProfile(data, name);
  if (problems.length > 0) throw new Error(`profile ${name}: ${problems[0]?.message}`);
  const facts = parsed.map(({ name: section, options }) => {
    const said = options.filter(({ key }) => !(section === "main" && key === "summary") && key !== ofComingBoot);
    return [section, Object.fromEntries(said.map(({ key, value }) => [key, recorded(folded(value))]))] as const;
  });
  return [name, Object.fromEntries(facts)];
}

/** Only Attune has boot arguments for the CPUs that are online after the boot: boot-arguments.test.ts has the reason. */
const ofComingBoot = "isolated_cores_online_expanded";

function recorded(value: string): string {
  const inverted = /(\$\{f:cpulist_invert:\$\{isolated_cores_expanded\})(,[\d,-]+)?\}/.exec(value);
  return inverted ? `${inverted[1]}}` : value;
}

/** Collapses spaces, keeps lines. */
function folded(value: string): string {
  return value
    .split("\n")
    .map((line) => line.trim().replaceAll(/[ \t]+/g, " "))
    .join("\n");
}

function present(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Go writes zero values of unset fields. */
function nonZero(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(nonZero) : undefined;
  if (!isObject(value)) return [null, undefined, "", "0", "0s", 0, false].includes(value as null) ? undefined : value;
  const kept = Object.keys(value).map((key) => [key, nonZero(get(value, key))] as const);
  const facts = Object.fromEntries(kept.filter(([, one]) => one !== undefined));
  return Object.keys(facts).length > 0 ? facts : undefined;
}
