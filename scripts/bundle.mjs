// Bundles src/cli into dist/, so that bin/attune starts from a few files instead of a few hundred. Tests that run the program
// name a folder of their own in ATTUNE_BUNDLE_DIR.
import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = process.env.ATTUNE_BUNDLE_DIR || join(root, "dist");

/**
 * What is costly to load, and not used by every command that could: loaded at its first use, which must not wait for
 * anything. Together they take longer than a short command may.
 */
const loadedAtFirstUse = {
  name: "loaded-at-first-use",
  setup({ onResolve, onLoad }) {
    const namespace = "loaded-at-first-use";
    onResolve({ filter: /^(node:child_process|re2js)$/ }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /^node:child_process$/, namespace }, () => ({
      contents: ["exec", "execFile", "fork", "spawn"]
        .map(
          (name) =>
            `export const ${name} = (...args) => process.getBuiltinModule("node:child_process").${name}(...args);`,
        )
        .join("\n"),
    }));
    onLoad({ filter: /^re2js$/, namespace }, () => ({
      contents: `import { createRequire } from "node:module";
        const load = createRequire(import.meta.url);
        export const RE2JS = new Proxy({}, { get: (_, name) => load("./re2.cjs").RE2JS[name] });`,
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
const modules = {
  ...shared,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  external: ["lmdb"],
  sourcemap: "linked",
  sourcesContent: false,
  // Some dependencies are CommonJS and call require() on Node's own modules.
  banner: { js: 'const require=process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
};

/** Everything that is loaded later becomes a file of its own that shares nothing: every file that is read costs more than its size. */
async function bundleApart(name, file) {
  const later = new Map();
  const apart = {
    name: "apart",
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, resolveDir, path }) => {
        if (kind !== "dynamic-import") return undefined;
        const target = join(resolveDir, path);
        later.set(nameOf(target), target);
        return { path: `./${nameOf(target)}.mjs`, external: true };
      });
    },
  };
  await build({
    ...modules,
    entryPoints: { [name]: file },
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
const commands = await bundleApart("attune", join(root, "src/cli/main.ts"));
const open = [...commands].filter(([, file]) => isShort(file));
const done = new Set();
const long = Object.fromEntries([...commands].filter(([, file]) => !isShort(file)));
await Promise.all([
  build({
    ...modules,
    entryPoints: long,
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
