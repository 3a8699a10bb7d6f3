import type { Host } from "../../../node/host/host.ts";

const folders = ["/etc/systemd/system-preset", "/run/systemd/system-preset", "/usr/lib/systemd/system-preset"];

/** Whether the presets enable a unit: the first line that matches decides. Without one, systemd enables. */
export async function isPreset(host: Pick<Host, "read" | "list">, unit: string): Promise<boolean> {
  const files = new Map<string, string>();
  for (const folder of folders.toReversed())
    for (const name of await host.list(folder)) if (name.endsWith(".preset")) files.set(name, `${folder}/${name}`);
  for (const [, path] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const file = await host.read(path);
    for (const line of file.type === "text" ? file.text.split("\n") : []) {
      const [verb = "", pattern = ""] = line.trim().split(/\s+/);
      if ((verb === "enable" || verb === "disable") && matches(pattern, unit)) return verb === "enable";
    }
  }
  return true;
}

/** A glob of the shell, with `*` and `?`. */
function matches(pattern: string, name: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(name);
}
