import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An image that only sleeps, made of programs of this machine. It is for sandboxes and for containers. */
export const podImage = "attune.test/sleep:1";

/** Writes it as an OCI archive. */
export function writePodImage(dir: string): string {
  const root = join(dir, "rootfs");
  const libraries = execFileSync("ldd", ["/bin/sleep"], { encoding: "utf8" }).match(/\/\S+(?= \()/g) ?? [];
  for (const path of ["/bin/sleep", ...libraries]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
  const layout = join(dir, "layout");
  mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
  const layer = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 64 * 1024 * 1024 });
  const store = (bytes: Buffer): { digest: string; size: number } => {
    const sum = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(layout, "blobs/sha256", sum), bytes);
    return { digest: `sha256:${sum}`, size: bytes.length };
  };
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const tar = store(layer);
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const config = store(
    json({
      architecture,
      os: "linux",
      config: { Entrypoint: ["/bin/sleep", "infinity"] },
      rootfs: { type: "layers", diff_ids: [tar.digest] },
    }),
  );
  const types = "application/vnd.oci.image";
  const manifest = store(
    json({
      schemaVersion: 2,
      mediaType: `${types}.manifest.v1+json`,
      config: { mediaType: `${types}.config.v1+json`, ...config },
      layers: [{ mediaType: `${types}.layer.v1.tar`, ...tar }],
    }),
  );
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: `${types}.manifest.v1+json`,
        ...manifest,
        annotations: { "io.containerd.image.name": podImage },
      },
    ],
  };
  writeFileSync(join(layout, "index.json"), json(index));
  writeFileSync(join(layout, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
  const archive = join(dir, "image.tar");
  execFileSync("tar", ["-C", layout, "-cf", archive, "."]);
  return archive;
}
