const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "m", ms: 60_000 },
  { name: "s", ms: 1000 },
];

/** `14 m`: the largest unit alone, as kubectl prints ages. */
export function ageText(since: string | undefined, now: number): string {
  const at = since === undefined ? Number.NaN : Date.parse(since);
  if (Number.isNaN(at)) return "-";
  const age = Math.max(0, now - at);
  const unit = units.find(({ ms }) => age >= ms) ?? { name: "s", ms: 1000 };
  return `${Math.floor(age / unit.ms)} ${unit.name}`;
}
