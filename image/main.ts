import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { defaultImage, version } from "../src/program/version.ts";
import { bundledPackages } from "./bundled-packages.ts";
import type { Architecture } from "./contents.ts";
import { downloadPackages } from "./debian-packages.ts";
import type { FileTree } from "./file-tree.ts";
import { layerOf } from "./layer.ts";
import { debianLayer, programLayer } from "./layers.ts";
import { nodeFiles } from "./node-binary.ts";
import { ociArchive, type PlatformImage } from "./oci-archive.ts";
import { sbom } from "./sbom.ts";
import { readSource } from "./source.ts";

/** `npm run image`, started by `scripts/image.mjs` in the folder of the project. */
const root = process.cwd();
/** npm changes to the folder of the project; its user named files in another one. */
const startedIn = process.env["INIT_CWD"] ?? root;
const machine: Architecture = process.arch === "arm64" ? "arm64" : "amd64";
const { values } = parseArgs({
  options: {
    arch: { type: "string", default: machine },
    name: { type: "string", default: defaultImage },
    /** Writes only the Node.js of the image, for tests. */
    node: { type: "string" },
    output: { type: "string" },
    root: { type: "string" },
  },
});
const architectures = values.arch.split(",").map(architectureOf);
const cache = join(root, "node_modules/.cache/attune-image");
if (values.node !== undefined) {
  const node = (await nodeFiles(machine, cache)).get("usr/local/bin/node");
  if (node?.type === "file") writeFileSync(values.node, node.bytes, { mode: node.mode });
  process.exit();
}
const source = readSource(root, version, process.env);
const work = mkdtempSync(join(tmpdir(), "attune-image-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

// At a fixed distance from the sources: names in the bundle depend on the paths from it to them.
const bundle = join(import.meta.dirname, "dist");
execFileSync(process.execPath, [join(root, "scripts/bundle.mjs")], {
  env: { ...process.env, ATTUNE_BUNDLE_DIR: bundle },
});
const bundled = bundledPackages(bundle, root);

if (values.root === undefined) await writeArchive(values.output ?? `attune-${version}-${architectures.join("-")}.tar`);
else for (const architecture of architectures) writeFolder(await treesOf(architecture), values.root);

/** The files of each layer, the ones that change most often last. */
async function treesOf(architecture: Architecture): Promise<FileTree[]> {
  const packages = downloadPackages(architecture, join(work, architecture));
  const license = readFileSync(join(root, "LICENSE"), "utf8");
  const text = sbom(source, packages, bundled);
  return [
    await nodeFiles(architecture, cache),
    await debianLayer(packages),
    programLayer({ bundle, license, bundled, sbom: text, mtime: source.time }),
  ];
}

async function writeArchive(output: string): Promise<void> {
  const images: PlatformImage[] = [];
  for (const architecture of architectures)
    images.push({ architecture, layers: await Promise.all((await treesOf(architecture)).map(layerOf)) });
  const { tar, digest } = await ociArchive(values.name, source, images);
  // Complete or not there at all.
  const path = resolve(startedIn, output);
  writeFileSync(`${path}.new`, tar);
  renameSync(`${path}.new`, path);
  console.log(`${output}: ${values.name}@${digest}`);
  for (const { architecture, layers } of images) {
    const sum = (of: (layer: (typeof layers)[number]) => number): string =>
      (layers.reduce((sum, layer) => sum + of(layer), 0) / 1024 / 1024).toFixed(1);
    const [unpacked, compressed] = [sum(({ size }) => size), sum(({ blob }) => blob.bytes.length)];
    console.log(`linux/${architecture}: ${unpacked} MiB of files, ${compressed} MiB compressed`);
  }
}

/** For the Containerfile, whose last stage copies the folder. */
function writeFolder(trees: readonly FileTree[], folder: string): void {
  for (const [path, entry] of trees.flatMap((tree) => tree.entries())) {
    const target = resolve(folder, path);
    mkdirSync(entry.type === "directory" ? target : dirname(target), { recursive: true });
    if (entry.type === "file") writeFileSync(target, entry.bytes, { mode: entry.mode });
    if (entry.type === "symlink") symlinkSync(entry.to, target);
  }
}

function architectureOf(name: string): Architecture {
  if (name === "amd64" || name === "arm64") return name;
  throw new Error(`--arch ${name}: amd64, arm64 or amd64,arm64`);
}
