/** `03:12` today, `18 Nov 03:12` before. Empty for what is no time. */
export function momentText(iso: string | undefined, now: number): string {
  const at = new Date(iso ?? "");
  if (Number.isNaN(at.getTime())) return "";
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}
