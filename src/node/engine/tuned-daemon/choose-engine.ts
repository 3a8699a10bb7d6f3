import {
  functions,
  laterFunctions,
  laterOptions,
  laterPlugins,
  oldestVersion,
  onlyInTuned,
  plugins,
} from "./capabilities.ts";
import { compareVersion, isOlder } from "./older-files.ts";
import type { TunedFacts } from "./tuned-facts.ts";
import type { UsedFeatures } from "./used-features.ts";

export interface EngineChoice {
  readonly engine: "native" | "tuned";
  readonly reason: string;
}

/** What `auto` comes to: TuneD only where nothing speaks against it. */
export function chooseEngine(used: UsedFeatures, facts: TunedFacts): EngineChoice {
  const against = objection(used, facts);
  if (against === undefined && facts.type === "installed")
    return { engine: "tuned", reason: `TuneD ${facts.version} is installed and has everything the profile uses` };
  const lost = [...used.plugins].filter((type) => onlyInTuned.has(type)).toSorted();
  const without = lost.length > 0 ? `; only TuneD could apply ${lost.map((type) => `[${type}]`).join(", ")}` : "";
  return { engine: "native", reason: `${against}${without}` };
}

function objection(used: UsedFeatures, facts: TunedFacts): string | undefined {
  if (facts.type === "missing") return facts.message;
  const { version, unusable } = facts;
  if (unusable !== undefined) return unusable;
  if (compareVersion(version, oldestVersion) < 0) return `TuneD ${version} is older than ${oldestVersion.join(".")}`;
  const lacks = lacking(used, isOlder(version));
  return lacks.length > 0 ? `TuneD ${version} lacks ${lacks.join(", ")}` : undefined;
}

/** Names what the profile uses and the version does not have. */
function lacking(used: UsedFeatures, older: boolean): string[] {
  const missing = (name: string, all: ReadonlySet<string>, later: ReadonlySet<string>): boolean =>
    !all.has(name) || (older && later.has(name));
  return [
    ...[...used.functions].filter((name) => missing(name, functions, laterFunctions)).map((name) => `function ${name}`),
    ...[...used.plugins].filter((name) => missing(name, plugins, laterPlugins)).map((name) => `plug-in ${name}`),
    ...[...used.options].filter((name) => older && laterOptions.has(name)).map((name) => `option ${name}`),
    // 2.20 takes the slash of net.ipv4.conf.eth0/100.forwarding for one of the path.
    ...[...used.options].filter((name) => older && /^sysctl\..*\/./.test(name)).map((name) => `names such as ${name}`),
    ...(used.prepend && older ? ["prepend for variables"] : []),
  ];
}
