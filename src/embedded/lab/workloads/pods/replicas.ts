/** A count, or a share of `total` (`25%`), rounded as asked. What says nothing readable counts as none. */
export function countOf(value: unknown, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !value.endsWith("%")) return 0;
  const percent = Number(value.slice(0, -1));
  if (!Number.isFinite(percent)) return 0;
  const share = (percent * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
