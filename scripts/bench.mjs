// `npm run bench [-- --quick] [-- NAME…]`: bundles the program and its benchmarks, and runs them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// Inside node_modules, where the bundles find their packages.
const out = mkdtempSync(join(root, "node_modules", ".attune-bench-"));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

// Bundle first: the benchmarks measure the current sources.
await import("./bundle.mjs");
const bundle = join(out, "main.mjs");
await build({
  // Each becomes a file directly in the folder: the first starts the others by their names beside it.
  entryPoints: ["main", "lab/lab-process", "node-tuning/agents-process", "webhook/webhook-process"].map((path) => ({
    in: join(root, `bench/${path}.ts`),
    out: basename(path),
  })),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  packages: "external",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", bundle, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
