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

/** Commands that end at once, and parts of them that few need: each in a folder of its own below src/cli. */
const short = ["tuned", "render", "render/boot", "profile"];

/** Short commands share no chunks with long ones: every file that is read costs them more than its size. */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/run\.ts$/ }, ({ kind, resolveDir, path }) =>
      kind === "dynamic-import"
        ? { path: `./${basename(dirname(join(resolveDir, path)))}.mjs`, external: true }
        : undefined,
    );
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
  // Chunks keep what a command does not use (certificates, YAML, CEL, metrics) unread at its start.
  splitting: true,
  format: "esm",
  external: ["lmdb"],
  sourcemap: "linked",
  sourcesContent: false,
  // Some dependencies are CommonJS and call require() on Node's own modules.
  banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
};

rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  build({
    ...modules,
    entryPoints: { attune: join(root, "src/cli/main.ts") },
    plugins: [loadedAtFirstUse, apart],
  }),
  ...short.map((name) =>
    build({
      ...modules,
      entryPoints: { [basename(name)]: join(root, `src/cli/${name}/run.ts`) },
      // Fewer characters to read before the first of them is run.
      minifyIdentifiers: true,
      plugins: [loadedAtFirstUse, apart],
    }),
  ),
  build({
    ...shared,
    entryPoints: { re2: join(root, "node_modules/re2js/build/index.cjs") },
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  }),
]);
