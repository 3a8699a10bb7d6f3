/**
 * The file behind a sysctl's name. `.` and `/` change places, so that `net.ipv4.conf.eth0/100.forwarding` means the
 * interface `eth0.100`. Undefined for a name that would mean anything but a file below /proc/sys.
 */
export function sysctlPath(name: string): string | undefined {
  let path = "";
  for (const character of name) path += character === "." ? "/" : character === "/" ? "." : character;
  const parts = path.split("/");
  const good = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"));
  return good ? `/proc/sys/${path}` : undefined;
}
