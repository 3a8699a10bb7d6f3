// Bundles src/program/cli into dist/, so that bin/attune starts from a few files instead of a few hundred. Tests that run the program
// name a folder of their own in ATTUNE_BUNDLE_DIR.
import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = process.env.ATTUNE_BUNDLE_DIR || join(root, "dist");
const program = "attune";

/**
 * What is costly to load, and not used by every command that could: loaded at its first use, which must not wait for
 * anything. Together they take longer than a short command may.
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
      // Not classes, which are not called.
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

/** As a module, one of Node's own is asked for all it exports, and so for parts of it that are loaded only when asked for. */
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
 * Everything that is loaded later becomes a file of its own that shares nothing: every file that is read costs more than its
 * size. They are CommonJS, since what loads modules is itself loaded only with the first of them.
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
        later.set(nameOf(target), target);
        return isLong(target)
          ? { path: `./${nameOf(target)}.mjs`, external: true }
          : { path: `./${nameOf(target)}.cjs`, namespace };
      });
      onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
      onResolve({ filter: /./, namespace }, ({ path }) => ({ path, external: true }));
    },
  };
  const isLong = (target) => name === program && !isShort(target);
  await build({
    ...bundled,
    entryPoints: { [name]: file },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // Fewer characters to read before the first of them is run.
    minifyIdentifiers: true,
    plugins: [loadedAtFirstUse, builtinsAsTheyAre, apart],
  });
  return later;
}

/** Commands that are done at once are in folders of their own, with a file `run.ts`. */
function nameOf(file) {
  return isShort(file) ? basename(dirname(file)) : basename(file, ".ts");
}

function isShort(file) {
  return basename(file) === "run.ts";
}

rmSync(outdir, { recursive: true, force: true });
const commands = await bundleApart(program, join(root, "src/program/cli/main.ts"));
const open = [...commands].filter(([, file]) => isShort(file));
const done = new Set();
const long = Object.fromEntries([...commands].filter(([, file]) => !isShort(file)));
await Promise.all([
  build({
    ...bundled,
    entryPoints: long,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    // Some dependencies are CommonJS and call require() on Node's own modules.
    banner: { js: 'const require=process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    // Chunks keep what a command does not use (certificates, YAML, CEL, metrics) unread at its start.
    splitting: true,
    plugins: [loadedAtFirstUse, builtinsAsTheyAre],
  }),
  bundleAll(open),
  build({
    ...shared,
    entryPoints: { re2: join(root, "node_modules/re2js/build/index.cjs") },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  }),
]);

async function bundleAll(files) {
  const fresh = files.filter(([name]) => !done.has(name));
  for (const [name] of fresh) done.add(name);
  await Promise.all(fresh.map(async ([name, file]) => bundleAll([...(await bundleApart(name, file))])));
}
