// `npm run bench [-- --quick] [-- NAME…]`: bundles the program and its benchmarks, and runs them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = mkdtempSync(join(tmpdir(), "attune-bench-"));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

// What is measured is what lies in the checkout, not what was bundled some time ago.
await import("./bundle.mjs");
const bundle = join(out, "bench.mjs");
await build({
  entryPoints: [join(root, "bench/main.ts")],
  outfile: bundle,
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
