import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";

/** Debian's busybox-static. */
export const staticProgram = "/bin/busybox";

/** Writes an OCI archive with one static program, which sleeps: for pod sandboxes, and for pods that only exist. */
export async function writeSmallImage(path: string, name: string): Promise<void> {
  const layer = await tar({ "bin/busybox": readFileSync(staticProgram) });
  const config = json({
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    config: { Cmd: ["/bin/busybox", "sleep", "infinity"], User: "65534" },
    rootfs: { type: "layers", diff_ids: [digest(layer)] },
  });
  const media = "application/vnd.oci.image";
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config: { mediaType: `${media}.config.v1+json`, digest: digest(config), size: config.length },
    layers: [{ mediaType: `${media}.layer.v1.tar`, digest: digest(layer), size: layer.length }],
  });
  const annotations = { "io.containerd.image.name": name };
  const entry = {
    mediaType: `${media}.manifest.v1+json`,
    digest: digest(manifest),
    size: manifest.length,
    annotations,
  };
  const blobs = [layer, config, manifest].map((blob) => [`blobs/${digest(blob).replace(":", "/")}`, blob] as const);
  const archive = await tar({
    "oci-layout": json({ imageLayoutVersion: "1.0.0" }),
    "index.json": json({ schemaVersion: 2, manifests: [entry] }),
    ...Object.fromEntries(blobs),
  });
  await writeFile(path, archive);
}

async function tar(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mode: 0o755 }, content);
  archive.finalize();
  return buffer(archive);
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function digest(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
