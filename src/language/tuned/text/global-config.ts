import { parseInteger } from "../../cpu/integer.ts";
import { parseIni } from "./ini.ts";
import { parseSize } from "../value.ts";
import type { Notice, Problem } from "../problem.ts";

export type GlobalValue = string | number | boolean | undefined;

/** `tuned-main.conf`: options of the daemon. */
export interface GlobalConfig {
  readonly options: ReadonlyMap<string, GlobalValue>;
  readonly notices: readonly Notice[];
  /** TuneD does not start with such a file. */
  readonly problems: readonly Problem[];
}

/** Defaults of TuneD 2.28; an option is read as the type of its default. */
export const globalDefaults = {
  daemon: true,
  dynamic_tuning: true,
  sleep_interval: 1,
  update_interval: 10,
  recommend_command: true,
  reapply_sysctl: true,
  reapply_sysctl_exclude: undefined,
  default_instance_priority: 0,
  udev_buffer_size: 1024 * 1024,
  log_file_count: 2,
  log_file_max_size: 1024 * 1024,
  uname_string: undefined,
  cpuinfo_string: undefined,
  enable_dbus: true,
  enable_unix_socket: false,
  unix_socket_path: "/run/tuned/tuned.sock",
  unix_socket_signal_paths: "",
  unix_socket_ownership: "-1 -1",
  unix_socket_permissions: "0o600",
  connections_backlog: "1024",
  rollback: "auto",
  profile_dirs: "/usr/lib/tuned/profiles,/etc/tuned/profiles",
  startup_udev_settle_wait: 0,
} satisfies Record<string, GlobalValue>;

/** Numbers by default, but the file may give them with a unit. What is no size counts as not given. */
const sizes = new Set(["udev_buffer_size", "log_file_max_size"]);

const truth: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["yes", true],
  ["true", true],
  ["on", true],
  ["0", false],
  ["no", false],
  ["false", false],
  ["off", false],
]);

/** The words for yes and no of `tuned-main.conf`; `undefined` for any other. */
export function truthOf(word: string): boolean | undefined {
  return truth.get(word.trim().toLowerCase());
}

export function parseGlobalConfig(text: string, file: string): GlobalConfig {
  const options = new Map<string, GlobalValue>(Object.entries(globalDefaults));
  const notices: Notice[] = [];
  const { sections, problems: unreadable } = parseIni(text, file, { headless: "" });
  const problems: Problem[] = [...unreadable];
  for (const { key, value, line } of sections[0]?.options ?? []) {
    if (!Object.hasOwn(globalDefaults, key)) {
      notices.push({ level: "info", message: `Unknown option '${key}' in global config file '${file}'.`, file, line });
      options.set(key, value);
      continue;
    }
    if (sizes.has(key)) {
      const size = parseSize(value);
      options.set(key, size === undefined ? undefined : Number(size));
      continue;
    }
    const read = readAs(options.get(key), value);
    if (read === undefined)
      problems.push({ message: `${key}: ${JSON.stringify(value)} is not a valid value`, file, line });
    else options.set(key, read);
  }
  return { options, notices, problems };
}

/** `undefined` for a value that TuneD refuses. */
function readAs(fallback: GlobalValue, value: string): GlobalValue {
  if (typeof fallback === "boolean") return truthOf(value);
  if (typeof fallback !== "number") return value;
  const number = parseInteger(value);
  return number === undefined ? undefined : Number(number);
}

/** Globs of sysctls that the node's own sysctl files do not override. */
export function excludedSysctls({ options }: GlobalConfig): string[] {
  const globs = String(options.get("reapply_sysctl_exclude") ?? "").split(/[,;]/);
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}
