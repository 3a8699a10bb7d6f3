import { type Architecture, path, start, user } from "./contents.ts";
import type { Entry } from "./file-tree.ts";
import { type Blob, blobOf, type Layer, tarOf } from "./layer.ts";
import { instant } from "./sbom.ts";
import type { Source } from "./source.ts";

export interface PlatformImage {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
}

export interface OciArchive {
  readonly tar: Buffer;
  /** Of the manifest, or of the index of several architectures: what `name@sha256:…` names. */
  readonly digest: string;
}

const oci = "application/vnd.oci.image";

/** An image layout of OCI in one tar archive: containerd, podman, skopeo and kind read it. */
export async function ociArchive(name: string, source: Source, images: readonly PlatformImage[]): Promise<OciArchive> {
  const blobs = new Map<string, Blob>();
  const keep = (blob: Blob): Blob => {
    blobs.set(blob.digest, blob);
    return blob;
  };
  const manifests = images.map((image) => {
    for (const { blob } of image.layers) keep(blob);
    const config = keep(blobOf(`${oci}.config.v1+json`, imageConfig(source, image)));
    const manifest = keep(
      blobOf(`${oci}.manifest.v1+json`, {
        schemaVersion: 2,
        mediaType: `${oci}.manifest.v1+json`,
        config: descriptor(config),
        layers: image.layers.map(({ blob }) => descriptor(blob)),
        annotations: labels(source),
      }),
    );
    return { ...descriptor(manifest), platform: platform(image.architecture) };
  });
  const [first] = manifests;
  const top =
    manifests.length === 1 && first !== undefined
      ? first
      : descriptor(keep(blobOf(`${oci}.index.v1+json`, index(manifests))));
  const files = new Map<string, Buffer>([
    ["oci-layout", json({ imageLayoutVersion: "1.0.0" })],
    // containerd reads the first name, and podman and skopeo the second.
    [
      "index.json",
      json(
        index([
          { ...top, annotations: { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": name } },
        ]),
      ),
    ],
    ...[...blobs].map(([digest, { bytes }]) => [`blobs/${digest.replace(":", "/")}`, bytes] as const),
  ]);
  const tar = await tarOf(
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, bytes]) => [path, file(bytes, source.time)] as const),
  );
  return { tar, digest: top.digest };
}

function imageConfig(source: Source, { architecture, layers }: PlatformImage): object {
  return {
    created: instant(source.time),
    ...platform(architecture),
    config: containerConfig(source),
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: instant(source.time), created_by: "npm run image" })),
  };
}

/** How containers of the image start, and where it comes from. */
export function containerConfig(source: Source): object {
  return { User: `${user}:${user}`, Env: [`PATH=${path}`], ...start, WorkingDir: "/", Labels: labels(source) };
}

function labels({ version, revision }: Source): Record<string, string> {
  return {
    "org.opencontainers.image.title": "attune",
    "org.opencontainers.image.description": "Operator, webhook and agents of Attune",
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": revision,
  };
}

function platform(architecture: Architecture): object {
  return { architecture, os: "linux", ...(architecture === "arm64" ? { variant: "v8" } : {}) };
}

function descriptor({ mediaType, digest, bytes }: Blob): { mediaType: string; digest: string; size: number } {
  return { mediaType, digest, size: bytes.length };
}

function index(manifests: readonly object[]): object {
  return { schemaVersion: 2, mediaType: `${oci}.index.v1+json`, manifests };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function file(bytes: Buffer, mtime: number): Entry {
  return { type: "file", bytes, mode: 0o644, mtime };
}
