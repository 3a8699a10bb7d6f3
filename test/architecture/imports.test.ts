import { describe, expect, it } from "vitest";
import { sources, type SourceFile } from "./imports.ts";

/**
 * Which rooms and folders a folder may import; it may always import itself. An entry is a room (`language`) or one folder
 * of a room (`node/host`) or one file (`src/cluster/runtime/clock.ts`). `controller` is what `*-controller.ts` files may import on top: they are the only files of a
 * domain that touch a cluster.
 */
const rules: Record<string, { may: readonly string[]; controller?: readonly string[] }> = {
  language: { may: ["language"] },
  "cluster/certificate": { may: [] },
  "cluster/http1": { may: [] },
  "cluster/kube": { may: ["language/object", "cluster/http1", "src/cluster/runtime/clock.ts"] },
  "cluster/runtime": {
    may: [
      "language/object",
      "language/patch",
      "src/cluster/kube/client.ts",
      "src/cluster/kube/cache.ts",
      "src/cluster/kube/api-error.ts",
      "src/cluster/kube/kinds.ts",
    ],
  },
  "domain/machine-config": { may: ["language"], controller: ["cluster/kube", "cluster/runtime"] },
  "domain/node-tuning": {
    may: ["language", "domain/machine-config", "src/domain/finding.ts"],
    controller: ["cluster/kube", "cluster/runtime"],
  },
  "domain/workload-partitioning": {
    may: ["language", "domain/machine-config", "src/domain/node-tuning/api.ts"],
    controller: ["cluster/kube", "cluster/runtime"],
  },
  domain: { may: ["language", "domain"], controller: ["cluster/kube", "cluster/runtime"] },
  "node/host": {
    may: [
      "language/object",
      "src/language/ignition/unit-text.ts",
      "src/cluster/runtime/make-folder.ts",
      "src/cluster/runtime/lock-dir.ts",
    ],
  },
  "node/snapshot": { may: ["language/object", "language/cpu", "node/host"] },
  "node/engine": { may: ["language/object", "language/cpu", "language/tuned", "node/host"] },
  "node/perftune": {
    may: ["domain/scylla", "language/cpu", "language/tuned", "node/host", "node/engine"],
  },
  "node/on-node": {
    may: ["language", "domain", "node/host", "node/engine", "cluster/kube", "cluster/runtime"],
  },
  "node/scylla": {
    may: ["language", "domain/scylla", "node/host", "node/perftune", "cluster/kube", "cluster/runtime"],
  },
  "embedded/apiserver": {
    may: [
      "language/object",
      "language/schema",
      "language/patch",
      "language/cpu",
      "cluster/runtime",
      "cluster/certificate",
      "cluster/http1",
    ],
  },
  "embedded/lab": { may: ["language", "cluster", "node/host"] },
  "program/operator": { may: ["language", "domain", "cluster"] },
  "program/agent": {
    may: ["language", "domain", "node/host", "node/engine", "node/on-node", "cluster/kube", "cluster/runtime"],
  },
  "program/scylla-agent": {
    may: [
      "language",
      "domain/scylla",
      "node/host",
      "node/scylla",
      "src/node/on-node/events/device-watch.ts",
      "cluster/kube",
      "cluster/runtime",
    ],
  },
  "program/scylla-gate": { may: ["language", "domain/scylla", "cluster/kube", "cluster/runtime"] },
  "program/webhook": { may: ["language", "domain", "cluster"] },
  // The version alone.
  program: { may: [] },
  "program/gather": { may: ["language", "domain", "cluster", "program/operator", "src/program/version.ts"] },
  "program/manifest": { may: ["language"] },
  "program/plan": { may: ["language", "domain", "cluster", "program/gather", "program/manifest"] },
  "program/explain": {
    may: [
      "language",
      "domain",
      "cluster",
      "node",
      "program/gather",
      "src/embedded/lab/kubelet/log/files-path.ts",
      "src/embedded/lab/kubelet/node/instance-annotation.ts",
    ],
  },
  "program/console": {
    may: [
      "language",
      "domain",
      "cluster",
      "program/operator",
      "program/gather",
      "program/explain",
      "program/manifest",
      "program/plan",
    ],
  },
  "program/management": {
    may: ["language", "domain", "cluster", "program/operator", "program/agent"],
  },
  "program/cli": { may: ["language", "domain", "cluster", "node", "embedded", "program"] },
};

const files = sources();
const byPath = new Map(files.map((file) => [file.path, file]));
const folders = [...new Set(files.map(({ folder }) => folder))];

describe("imports", () => {
  it("are read from every file", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(files.length / 2);
  });

  it.each(folders)("of src/%s stay within what it may know", (folder) => {
    expect(files.filter((file) => file.folder === folder).flatMap(forbidden)).toEqual([]);
  });

  it("of the client and of the embedded server never lead to each other", () => {
    const reaches = (from: string, to: string): string[] =>
      files.filter(({ folder }) => folder === from).flatMap((file) => pathTo(file, to));
    expect(reaches("embedded/apiserver", "cluster/kube")).toEqual([]);
    expect(reaches("cluster/kube", "embedded/apiserver")).toEqual([]);
  });

  it("form no cycles", () => {
    expect(cycles()).toEqual([]);
  });
});

describe("pure files", () => {
  const isPure = (file: SourceFile): boolean =>
    file.room === "language" || (file.room === "domain" && !isController(file.path));
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
  const rule = rules[file.folder] ?? rules[file.room];
  if (!rule) return [`${file.path}: src/${file.folder} is in no rule`];
  const allowed = [file.folder, ...rule.may, ...(isController(file.path) ? (rule.controller ?? []) : [])];
  return file.imports.flatMap((one) => {
    if (one.type === "package" || one.room === "") return [];
    if (![one.path, one.folder, one.room].some((place) => allowed.includes(place)))
      return [`${file.path} imports ${one.path}`];
    const foreignController = one.room === "domain" && one.folder !== file.folder && isController(one.path);
    return foreignController && file.room !== "program" ? [`${file.path} imports the controller ${one.path}`] : [];
  });
}

function isController(path: string): boolean {
  return path.endsWith("-controller.ts");
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
