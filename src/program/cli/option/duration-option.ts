const units = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** `90s`, `10m`, `2h` as milliseconds. */
export function durationOption(name: string, value: string): number {
  const [, digits = "", unit = ""] = /^([0-9]{1,6})([smh])$/.exec(value) ?? [];
  const ms = Number(digits) * (units.get(unit) ?? 0);
  if (ms === 0) throw new Error(`${name} ${value}: not a time such as 30s, 10m or 1h`);
  return ms;
}
