/** `spec.replicas`: 1 where it is absent, which is the API's default. */
export function replicasOf({ spec }: { spec?: { replicas?: number | undefined } | undefined }): number {
  return spec?.replicas ?? 1;
}

/** An IntOrString: a count, or a percentage of `total` (`25%`). A value that cannot be read counts as 0. */
export function countOf(value: unknown, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !value.endsWith("%")) return 0;
  const percent = Number(value.slice(0, -1));
  if (!Number.isFinite(percent)) return 0;
  const share = (percent * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
