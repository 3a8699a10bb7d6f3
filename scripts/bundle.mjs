// Bundles src/program/cli into dist/: bin/attune starts faster from a few files than from several hundred. Tests that run
// the program set ATTUNE_BUNDLE_DIR to a folder of their own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { build as buildPage } from "vite";
import { OutputNames } from "./output-names.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = process.env.ATTUNE_BUNDLE_DIR || join(root, "dist");
const program = "attune";
const outputs = new OutputNames();

/**
 * Modules that are slow to load and that most runs do not need. They are loaded at their first use, and synchronously, so
 * that callers need no `await`. Loading all of them at the start would take longer than a short command may take.
 */
const loadedAtFirstUse = {
  name: "loaded-at-first-use",
  setup({ onResolve, onLoad }) {
    const namespace = "loaded-at-first-use";
    onResolve({ filter: /^(node:child_process|node:fs\/promises|node:readline|re2js)$/ }, ({ path }) => ({
      path,
      namespace,
    }));
    onLoad({ filter: /^node:/, namespace }, ({ path }) => {
      const all = process.getBuiltinModule(path);
      // Only functions: a class is called with `new`, which an arrow function does not allow.
      const names = Object.keys(all).filter((name) => typeof all[name] === "function" && /^[a-z]/.test(name));
      const of = names.map((name) => `export const ${name} = (...args) => all().${name}(...args);`);
      return {
        contents: `let loaded;
          const all = () => (loaded ??= process.getBuiltinModule(${JSON.stringify(path)}));
          ${of.join("\n")}`,
      };
    });
    onResolve({ filter: /^\.\/re2\.cjs$/, namespace }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /^re2js$/, namespace }, () => ({
      contents: 'export const RE2JS = new Proxy({}, { get: (_, name) => require("./re2.cjs").RE2JS[name] });',
    }));
  },
};

/** An ES import of a Node.js module evaluates all its exports, and with them parts that Node.js would load on demand. */
const builtinsAsTheyAre = {
  name: "builtins-as-they-are",
  setup({ onResolve, onLoad }) {
    const namespace = "builtins-as-they-are";
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace, sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path)).filter((name) => name !== "default");
      const of = names.map((name) => `export const ${name} = /* @__PURE__ */ of(${JSON.stringify(name)});`);
      return {
        contents: `const all = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});
          const of = (name) => all[name];
          export default all;
          ${of.join("\n")}`,
      };
    });
  },
};

/** What short commands read when their code is recorded. */
const sampleProfile = `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata: { name: sample }
spec:
  cpu: { isolated: 2-3, reserved: 0-1 }
  hugepages: { defaultHugepagesSize: 1G, pages: [{ size: 1G, count: 1, node: 0 }] }
  nodeSelector: { node-role.kubernetes.io/worker: "" }
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: { name: worker, labels: { machineconfiguration.openshift.io/role: worker } }
spec:
  machineConfigSelector: { matchLabels: { machineconfiguration.openshift.io/role: worker } }
  nodeSelector: { matchLabels: { node-role.kubernetes.io/worker: "" } }
`;

const shared = {
  outdir,
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};
const bundled = {
  ...shared,
  bundle: true,
  external: ["lmdb"],
  // The library's ES modules: half of what its CommonJS build takes to load, since only what is used is bundled.
  alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
  sourcemap: "linked",
  sourcesContent: false,
};

/**
 * Bundles a file, and returns the files that it imports dynamically. Each of those becomes one output that shares no
 * chunks, since opening a file costs more than reading a few more bytes. The outputs are CommonJS: Node.js loads its ES
 * module loader only with the first ES module.
 */
async function bundleApart(name, file) {
  const later = new Map();
  const namespace = "apart";
  const apart = {
    name: "apart",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, resolveDir, path }) => {
        if (kind !== "dynamic-import") return undefined;
        const target = join(resolveDir, path);
        outputs.claim(nameOf(target), relative(root, target));
        later.set(nameOf(target), target);
        return isLong(target)
          ? { path: `./${nameOf(target)}.mjs`, external: true }
          : { path: `./${nameOf(target)}.cjs`, namespace };
      });
      onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: `const { loadCompiled } = require("./load-compiled.ts");
          module.exports = loadCompiled(__dirname + ${JSON.stringify(path.slice(1))});`,
        resolveDir: join(root, "src/program/cli"),
      }));
    },
  };
  const isLong = (target) => name === program && !isShort(target);
  await build({
    ...bundled,
    entryPoints: { [name]: file },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // Short names: the whole file is parsed before its first line runs.
    minifyIdentifiers: true,
    plugins: [loadedAtFirstUse, builtinsAsTheyAre, apart],
  });
  return later;
}

/** A short command is a folder with a file `run.ts`, and its output has the name of the folder. */
function nameOf(file) {
  return isShort(file) ? basename(dirname(file)) : basename(file, ".ts");
}

function isShort(file) {
  return basename(file) === "run.ts";
}

// Under a test runner it would be another, and the page would have React's development build.
process.env.NODE_ENV = "production";
rmSync(outdir, { recursive: true, force: true });
outputs.claim(program, "src/program/cli/main.ts");
outputs.claim("re2", "re2js");
const commands = await bundleApart(program, join(root, "src/program/cli/main.ts"));
const short = [...commands].filter(([, file]) => isShort(file));
const bundledNames = new Set();
const long = Object.fromEntries([...commands].filter(([, file]) => !isShort(file)));
await Promise.all([
  build({
    ...bundled,
    entryPoints: long,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    // Some dependencies are CommonJS and call require() for modules of Node.js.
    banner: { js: 'const require=process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    // With chunks, a command does not read at its start what it does not use: certificates, YAML, CEL, metrics.
    splitting: true,
    plugins: [loadedAtFirstUse, builtinsAsTheyAre],
  }),
  bundleAll(short),
  build({
    ...shared,
    entryPoints: { re2: join(root, "node_modules/re2js/build/index.cjs") },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  }),
  buildPage({ root: join(root, "console"), logLevel: "warn", build: { outDir: join(outdir, "console") } }),
]);

// Where `bin/attune` finds node if PATH does not have it.
symlinkSync(process.execPath, join(outdir, "node"));
recordCode();

/**
 * Runs each short command once, so that later runs find what V8 compiled for it (`record-code.cjs`). A run that fails leaves
 * less of it, and later runs only start slower.
 */
function recordCode() {
  const dir = mkdtempSync(join(tmpdir(), "attune-bundle-"));
  const record = join(root, "scripts/record-code.cjs");
  const run = (...args) =>
    spawnSync(process.execPath, ["--require", record, join(outdir, "attune.cjs"), ...args], {
      cwd: dir,
      stdio: "ignore",
    });
  const kernel = join(dir, "root/proc/sys/kernel");
  mkdirSync(join(kernel, "random"), { recursive: true });
  writeFileSync(join(kernel, "random/boot_id"), "sample\n");
  writeFileSync(join(kernel, "pid_max"), "4194304\n");
  writeFileSync(join(dir, "profile.yaml"), sampleProfile);
  run("profile", "check", "--filename", "profile.yaml");
  run("tuned", "apply", "--root", "root", "--engine", "native", "openshift");
  run("render", "--asset-input-dir", ".", "--asset-output-dir", "rendered");
  rmSync(dir, { recursive: true, force: true });
}

async function bundleAll(files) {
  const unbundled = files.filter(([name]) => !bundledNames.has(name));
  for (const [name] of unbundled) bundledNames.add(name);
  await Promise.all(unbundled.map(async ([name, file]) => bundleAll([...(await bundleApart(name, file))])));
}
