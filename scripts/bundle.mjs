// Bundles src/cli into dist/, so that bin/attune starts from a few files instead of a few hundred. Tests that run the program
// name a folder of their own in ATTUNE_BUNDLE_DIR.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = process.env.ATTUNE_BUNDLE_DIR || join(root, "dist");
rmSync(outdir, { recursive: true, force: true });

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

const minified = { minifySyntax: true, minifyWhitespace: true, legalComments: "none", logLevel: "warning" };
await build({
  entryPoints: { re2: join(root, "node_modules/re2js/build/index.cjs") },
  outdir,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  platform: "node",
  ...minified,
});
await build({
  entryPoints: { attune: join(root, "src/cli/main.ts") },
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // Chunks keep what a command does not use (certificates, YAML, CEL, metrics) unread at its start.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external: ["lmdb"],
  plugins: [loadedAtFirstUse],
  ...minified,
  sourcemap: "linked",
  sourcesContent: false,
  // Some dependencies are CommonJS and call require() on Node's own modules.
  banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
});
