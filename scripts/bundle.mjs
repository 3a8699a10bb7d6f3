// Bundles src/cli into dist/, so that bin/attune starts from a few files instead of a few hundred. Tests that run the program
// name a folder of their own in ATTUNE_BUNDLE_DIR.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = process.env.ATTUNE_BUNDLE_DIR || join(root, "dist");
rmSync(outdir, { recursive: true, force: true });
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
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "none",
  logLevel: "warning",
  // Some dependencies are CommonJS and call require() on Node's own modules.
  banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
});
