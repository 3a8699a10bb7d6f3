import { describe, expect, it } from "vitest";
import { sources, type SourceFile } from "./imports.ts";

/**
 * Who may import whom. A folder may always import itself. `controller` is what `*-controller.ts` files may import on top:
 * they are the only files of a domain that touch a cluster.
 */
const pure = ["object", "schema", "patch", "tuned", "cpu", "ignition"];
const domains = [
  "node-tuning",
  "performance-profile",
  "workload-partitioning",
  "scylla",
  "node-pool",
  "hosted",
  "machine-config",
  "rollout",
];
const clusterSide = ["kube", "runtime"];
const rules: Record<string, { may: readonly string[]; controller?: readonly string[] }> = {
  ...Object.fromEntries(pure.map((folder) => [folder, { may: pure }])),
  ...Object.fromEntries(domains.map((folder) => [folder, { may: [...pure, ...domains], controller: clusterSide }])),
  certificate: { may: [] },
  host: { may: ["object"] },
  snapshot: { may: ["host", "cpu", "object"] },
  engine: { may: ["host", "tuned", "cpu", "object"] },
  kube: { may: ["object", "runtime"] },
  runtime: { may: ["object", "patch", "kube"] },
  apiserver: { may: ["object", "schema", "patch", "runtime", "certificate"] },
  "on-node": { may: ["engine", "host", ...pure, ...domains, ...clusterSide] },
  lab: { may: ["on-node", "host", "certificate", ...pure, ...domains, ...clusterSide] },
  operator: { may: [...pure, ...domains, ...clusterSide] },
  agent: { may: ["on-node", "engine", "host", ...pure, ...domains, ...clusterSide] },
  webhook: { may: ["certificate", ...pure, ...domains, ...clusterSide] },
};
/** They wire the rest together, so nothing but the command line imports them. */
const compositionRoots = ["operator", "agent", "webhook", "cli"];

const files = sources();
const byPath = new Map(files.map((file) => [file.path, file]));

describe("imports", () => {
  it("are read from every file", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(files.length / 2);
  });

  it.each([...new Set(files.map(({ folder }) => folder))])("of src/%s stay within what it may know", (folder) => {
    expect(files.filter((file) => file.folder === folder).flatMap(forbidden)).toEqual([]);
  });

  it("of the client and of the embedded server never lead to each other", () => {
    const reaches = (from: string, to: string): string[] =>
      files.filter(({ folder }) => folder === from).flatMap((file) => pathTo(file, to));
    expect(reaches("apiserver", "kube")).toEqual([]);
    expect(reaches("kube", "apiserver")).toEqual([]);
  });

  it("form no cycles", () => {
    expect(cycles()).toEqual([]);
  });
});

describe("pure files", () => {
  const isPure = (file: SourceFile): boolean =>
    pure.includes(file.folder) || (domains.includes(file.folder) && !file.path.endsWith("-controller.ts"));
  const impure: [string, RegExp][] = [
    ["a clock", /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
    ["randomness", /\bMath\.random\(|\bcrypto\./],
    ["a timer", /\bset(Timeout|Interval|Immediate)\(/],
    ["the process", /^(?!\s*(\*|\/)).*\bprocess\.\w/m],
  ];

  it("use no module of Node's", () => {
    const used = files
      .filter(isPure)
      .flatMap(({ path, imports }) =>
        imports.flatMap((one) =>
          one.type === "package" && one.name.startsWith("node:") ? [`${path} imports ${one.name}`] : [],
        ),
      );
    expect(used).toEqual([]);
  });

  it.each(impure)("use no %s", (_, pattern) => {
    expect(
      files
        .filter(isPure)
        .filter(({ text }) => pattern.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe("names of files", () => {
  it("say what is in them", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types)\.ts$/;
    expect(files.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
  });

  it("are kebab-case", () => {
    expect(files.map(({ path }) => path).filter((path) => !/^src(\/[a-z0-9-]+)+\.ts$/.test(path))).toEqual([]);
  });
});

function forbidden(file: SourceFile): string[] {
  const rule = rules[file.folder];
  if (file.folder === "cli") return [];
  if (!rule) return [`${file.path}: src/${file.folder} is in no rule`];
  const allowed = [file.folder, ...rule.may, ...(file.path.endsWith("-controller.ts") ? (rule.controller ?? []) : [])];
  return file.imports.flatMap((one) => {
    if (one.type === "package" || one.folder === "") return [];
    if (compositionRoots.includes(one.folder) && one.folder !== file.folder)
      return [`${file.path} imports the composition root ${one.path}`];
    if (!allowed.includes(one.folder)) return [`${file.path} imports ${one.path}`];
    if (
      domains.includes(one.folder) &&
      one.folder !== file.folder &&
      one.path.endsWith("-controller.ts") &&
      !compositionRoots.includes(file.folder)
    )
      return [`${file.path} imports the controller ${one.path}`];
    return [];
  });
}

/** How a file comes to depend on a folder, if it does. */
function pathTo(file: SourceFile, folder: string, seen = new Set<string>()): string[] {
  for (const one of file.imports) {
    if (one.type === "package" || seen.has(one.path)) continue;
    if (one.folder === folder) return [`${file.path} → ${one.path}`];
    seen.add(one.path);
    const next = byPath.get(one.path);
    const further = next ? pathTo(next, folder, seen) : [];
    if (further.length > 0) return [`${file.path} → ${further[0]}`];
  }
  return [];
}

function cycles(): string[] {
  const state = new Map<string, "open" | "done">();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      return;
    }
    state.set(path, "open");
    for (const one of byPath.get(path)?.imports ?? []) if (one.type === "file") visit(one.path, [...trail, path]);
    state.set(path, "done");
  };
  for (const { path } of files) visit(path, []);
  return found;
}
