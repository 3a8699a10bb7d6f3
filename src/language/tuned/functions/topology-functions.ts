import { cpuSet, formatRanges } from "../../cpu/cpu-set.ts";
import { parseInteger } from "../../cpu/integer.ts";
import { matchesGlob } from "../pattern/glob.ts";
import type { Probe } from "../probe.ts";
import { asking, type BuiltIn, type Called, type Surroundings, text, verbatim } from "./built-in.ts";

const cpus = "/sys/devices/system/cpu";
const uncores = `${cpus}/intel_uncore_frequency`;

/** Functions that map sockets to their CPUs and uncores. */
export const topologyFunctions = {
  /** All CPUs without the first `reserved` of each socket. */
  calc_isolated_cores: {
    least: 0,
    most: 1,
    call([reserved = "1"], surroundings) {
      if (!/^[0-9]{1,9}$/.test(reserved)) {
        surroundings.notice(
          "error",
          `invalid argument '${reserved}' for builtin function 'calc_isolated_cores', it must be non-negative integer`,
        );
        return verbatim;
      }
      return withCpuPackages(surroundings, (packages) => {
        const bySocket = new Map<string, number[]>();
        for (const [cpu, id] of packages) {
          const socket = id?.trim() ?? "";
          if (/^[0-9]+$/.test(socket)) bySocket.set(socket, [...(bySocket.get(socket) ?? []), cpuNumber(cpu)]);
        }
        const isolated = [...bySocket.values()].flatMap((socket) => cpuSet(socket).slice(Number(reserved)));
        return text(formatRanges(cpuSet(isolated)));
      });
    },
  },
  package2cpus: {
    least: 0,
    most: Infinity,
    call: (sockets, surroundings) =>
      withCpuPackages(surroundings, (packages) => inSockets(packages, sockets, "cpu", surroundings)),
  },
  package2uncores: {
    least: 0,
    most: Infinity,
    call: (sockets, surroundings) =>
      withNames(uncores, surroundings, (names) => {
        const tpmi = names.filter((name) => name.startsWith("uncore"));
        if (tpmi.length === 0)
          return inSockets(new Map(names.map((name) => [name, name.slice(8, 10)])), sockets, "uncore", surroundings);
        const paths = new Map(tpmi.map((name) => [name, `${uncores}/${name}/package_id`]));
        return withFiles(paths, surroundings, (packages) => inSockets(packages, sockets, "uncore", surroundings));
      }),
  },
} satisfies Record<string, BuiltIn>;

function withCpuPackages(surroundings: Surroundings, then: (packages: Packages) => Called): Called {
  return withNames(cpus, surroundings, (names) => {
    const numbered = names.filter((name) => /^cpu[0-9]{1,6}$/.test(name)).sort((a, b) => cpuNumber(a) - cpuNumber(b));
    const paths = new Map(numbered.map((cpu) => [cpu, `${cpus}/${cpu}/topology/physical_package_id`]));
    return withFiles(paths, surroundings, then);
  });
}

function cpuNumber(cpu: string): number {
  return Number(cpu.slice("cpu".length));
}

function withNames(path: string, surroundings: Surroundings, then: (names: string[]) => Called): Called {
  return asking({ type: "list", path }, surroundings, (answer) =>
    then(answer.type === "text" ? answer.text.split("\n").filter((name) => name !== "") : []),
  );
}

/** Contents of a file by name; `undefined` where there is none, as for a CPU that is offline. */
type Packages = ReadonlyMap<string, string | undefined>;

function withFiles(
  paths: ReadonlyMap<string, string>,
  { answer }: Surroundings,
  then: (contents: Packages) => Called,
): Called {
  const missing: Probe[] = [];
  const contents = new Map<string, string | undefined>();
  for (const [name, path] of paths) {
    const probe: Probe = { type: "file", path };
    const answered = answer(probe);
    if (!answered) missing.push(probe);
    else contents.set(name, answered.type === "text" ? answered.text : undefined);
  }
  return missing.length > 0 ? { type: "needs", probes: missing } : then(contents);
}

/** A socket is named by its number, or by a glob for the whole file, its last newline included. */
function inSockets(packages: Packages, sockets: readonly string[], what: string, { notice }: Surroundings): Called {
  const chosen: string[] = [];
  for (const [name, id] of packages) {
    if (id === undefined) {
      notice("warning", `the package of ${name} is not known`);
      continue;
    }
    const socket = parseInteger(id);
    if (socket === undefined) notice("warning", `Invalid package id '${id}' for ${what} '${name}'`);
    else
      for (const wanted of sockets)
        if (parseInteger(wanted) === undefined ? matchesGlob(wanted, id) : parseInteger(wanted) === socket)
          chosen.push(name);
  }
  return chosen.length > 0 ? text(chosen.join(",")) : verbatim;
}
