import type { HostedCluster } from "./api.ts";

/** Of a release image: the version in its tag; without one, as of an image by digest, the image itself. */
export function versionOfImage(image: string): string {
  const tag = /:(\d+\.\d+\.\d+[^:/@]*)$/.exec(image)?.[1];
  return tag?.replace(/-(x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi)$/, "") ?? image;
}

/** The version of a hosted cluster: the last that it completed; before that, the one of its image. */
export function versionOfCluster({ spec, status }: HostedCluster): string {
  const completed = status?.version?.history?.find(({ state }) => state === "Completed");
  return completed?.version ?? versionOfImage(spec?.release?.image ?? "");
}
