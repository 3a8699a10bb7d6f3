// `npm run image [-- --arch amd64,arm64] [-- --output FILE] [-- --name NAME]`: builds the container image as an OCI archive,
// from packages of Debian and npm and from the sources. It needs no registry of images, no container engine and no root.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// Inside node_modules, where the bundle finds its packages.
const out = mkdtempSync(join(root, "node_modules", ".attune-image-"));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

await build({
  entryPoints: [join(root, "image/main.ts")],
  outfile: join(out, "main.mjs"),
  packages: "external",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, [join(out, "main.mjs"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
