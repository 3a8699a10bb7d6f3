import type { LogLevel, LogOptions } from "../../../cluster/runtime/log/log.ts";
import type { AgentMounts } from "../../../domain/node-tuning/agent-daemon-set.ts";
import type { Protocol } from "../../../domain/node-tuning/api.ts";
import { parseAddress } from "../../../cluster/runtime/metrics/http-answer.ts";
import type { EngineName } from "../../../node/engine/choose-engine.ts";
import type { ExecPolicy } from "../../../node/on-node/exec-policy.ts";
import { defaultRelease, type ReleaseName, releases } from "../../../domain/workload-partitioning/release.ts";
import { choice, type Flag, list, oneOf, parsed, text, toggle, type Values } from "./flag.ts";

/** Flags that several commands have. */

export const connectionFlags = {
  kubeconfig: text("--kubeconfig <file>", "path of the kubeconfig", {
    shownDefault: "$KUBECONFIG, ~/.kube/config, or the cluster of this pod",
  }),
  context: text("--context <name>", "context of the kubeconfig to use"),
};

export const probeAddressFlag = addressFlag(
  "--probe-address <host:port>",
  "address on which to serve /healthz, /readyz and /metrics",
);

/** The address of a server; undefined where none is wanted. */
export function addressFlag(flags: string, description: string): Flag<string | undefined> {
  return parsed(flags, description, address, { shownDefault: "none" });
}

export function secureUrl(value: string, name: string): string | undefined {
  if (value === "") return undefined;
  if (!URL.canParse(value) || new URL(value).protocol !== "https:")
    throw new Error(`${name} ${value}: not a URL such as https://10.0.0.1:30623`);
  return value;
}

function address(value: string, name: string): string | undefined {
  if (value === "") return undefined;
  try {
    parseAddress(value, name);
  } catch (error) {
    throw new Error(`${name} ${value}: not of the form host:port, such as :8080`, { cause: error });
  }
  return value;
}

export const protocolFlag: Flag<Protocol> = choice(
  "--protocol <protocol>",
  "how agents report boot arguments: documented (in the Profile) or shipped (in annotations of the Node)",
  { of: ["documented", "shipped"], default: "documented" },
);

export const partitioningReleaseFlag: Flag<ReleaseName> = choice(
  "--partitioning-release <name>",
  "rules of workload partitioning: documented, or those of an OpenShift release: current (4.22 and later), 4.16, 4.14, 4.13 or 4.12",
  { of: Object.keys(releases) as ReleaseName[], default: defaultRelease },
);

/**
 * `auto` uses what the cluster has, `standalone` requires MachineConfigPools, `plain` rolls them out itself and uses nothing of
 * OpenShift, `tuning` uses no machine configuration at all.
 */
export type OperatorMode = "auto" | "standalone" | "plain" | "tuning";

const operatorModes = ["auto", "standalone", "plain", "tuning"] as const;

export function modeFlag(description: string): Flag<OperatorMode> {
  const parse = modeOf(operatorModes, ["hosted"]);
  return parsed("--mode <mode>", description, parse, { default: "auto" });
}

export function modeOrHostedFlag(description: string): Flag<OperatorMode | "hosted"> {
  return choice("--mode <mode>", description, { of: [...operatorModes, "hosted"], default: "auto" });
}

export function modeOf<const T extends string>(
  supported: readonly T[],
  planned: readonly string[],
): (mode: string, name: string) => T {
  return (mode, name) => {
    if (planned.includes(mode)) throw new Error(`${name} ${mode}: not supported yet; use ${supported.join(" or ")}`);
    return oneOf(supported, mode, name);
  };
}

export const engineFlag: Flag<EngineName> = choice(
  "--engine <engine>",
  "native, tuned (the TuneD daemon), or auto: the one that has everything the profile uses",
  { of: ["auto", "native", "tuned"], default: "auto" },
);

/** Which programs that profiles name agents run, under the name that a command has for it. */
export function execPolicyFlag(flags: string): Flag<ExecPolicy> {
  return choice(
    flags,
    "programs and scripts that profiles name: allow, builtin (only those of built-in profiles) or none",
    {
      of: ["allow", "builtin", "none"],
      default: "allow",
    },
  );
}

export const agentMountsFlag: Flag<AgentMounts> = choice(
  "--agent-mounts <how>",
  "follow (agents see mounts of their node as they change; its root must be a shared mount, as systemd makes it) or fixed (as they are when the agent starts)",
  { of: ["follow", "fixed"], default: "follow" },
);

/** Of programs that run until they are stopped. `level`: their default. */
export function logFlags(level: LogLevel) {
  return {
    logLevel: choice("--log-level <level>", "the least severe lines of the log: debug, info, warn or error", {
      of: ["debug", "info", "warn", "error"],
      default: level,
    }),
    logFormat: parsed("--log-format <format>", "json, or text: lines for people", logFormat, {
      shownDefault: "text on a terminal, json elsewhere",
    }),
  };
}

function logFormat(format: string, name: string): "json" | "text" {
  return oneOf(["json", "text"], format, name);
}

/** What `createLog` takes of the flags. */
export function logOptions({
  logLevel,
  logFormat: format,
}: Values<ReturnType<typeof logFlags>>): Pick<LogOptions, "level" | "pretty"> {
  return { level: logLevel, ...(format === undefined ? {} : { pretty: format === "text" }) };
}

export const rootFlag = text("--root <dir>", "where the node's root file system is mounted", { default: "/" });

export const execFlag = toggle(
  "--exec",
  "run the programs and scripts that profiles name; without it, what depends on one is unresolved",
);

export const mustGatherFlag = text(
  "--must-gather-dir-path <path>",
  "must-gather of the cluster: a folder or an archive",
);

export const manifestFlags = {
  filename: list("-f, --filename <file...>", "files or folders of manifests, - for standard input; may be repeated", {
    required: true,
  }),
  recursive: toggle("-R, --recursive", "also read the folders inside a folder"),
};

/** Of which each is the default of some command, or its longer form. */
const forPeople: readonly string[] = ["table", "text", "wide"];

/**
 * kubectl's `-o`. The first format is the default. A command that prints for people takes all formats for people: those that it
 * does not tell apart are its default.
 */
export function outputFlag<const T extends string>(formats: readonly [T, ...T[]], description: string): Flag<T> {
  const [first] = formats;
  const flag = choice("-o, --output <format>", description, { of: formats, default: first });
  if (!forPeople.includes(first)) return flag;
  const others = forPeople.filter((one) => !(formats as readonly string[]).includes(one));
  return { ...flag, read: (given, name) => (others.includes(String(given)) ? first : flag.read(given, name)) };
}

export function portFlag(flags: string, description: string, fallback: string): Flag<number> {
  return parsed(flags, description, portNumber, { default: fallback });
}

export function portNumber(value: string, name: string): number {
  const port = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535)) throw new Error(`${name} ${value}: not a port number (0 to 65535)`);
  return port;
}

export function nodeCount(value: string, name: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(value)) return Number(value);
  throw new Error(`${name} ${value}: not a number of nodes (1 to 99999)`);
}

export function replicaCount(value: string, name: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(value)) return Number(value);
  throw new Error(`${name} ${value}: not a number of replicas (1 to 999)`);
}

const units = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** `90s`, `10m`, `2h` in milliseconds. */
export function duration(value: string, name: string): number {
  const [, digits = "", unit = ""] = /^([0-9]{1,6})([smh])$/.exec(value) ?? [];
  const ms = Number(digits) * (units.get(unit) ?? 0);
  if (ms === 0) throw new Error(`${name} ${value}: not a duration such as 30s, 10m or 1h`);
  return ms;
}
