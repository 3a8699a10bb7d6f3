import { parseUnit } from "../../language/ignition/unit-text.ts";
import type { Host } from "./host.ts";

/** Where systemd looks for units, in this order. */
export const ownUnits = "/etc/systemd/system";
const folders = [ownUnits, "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"];

export type FoundUnit = { type: "missing" } | { type: "masked" } | { type: "unit"; unit: Unit };

export interface Unit {
  /** With its suffix. */
  readonly name: string;
  readonly path: string;
  /** The values of an option, of the unit and its drop-ins. An empty value drops those before it. */
  readonly values: (section: string, option: string) => string[];
}

type Files = Pick<Host, "read" | "list" | "real">;

/** `x` means `x.service`. */
export function unitName(name: string): string {
  return /\.(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/.test(name)
    ? name
    : `${name}.service`;
}

export async function findUnit(host: Files, given: string): Promise<FoundUnit> {
  const name = unitName(given);
  // An instance has the file of its template.
  const template = name.replace(/@[^.]+(?=\.)/, "@");
  for (const folder of folders)
    for (const file of new Set([name, template])) {
      const path = `${folder}/${file}`;
      if ((await host.real(path)) === "/dev/null") return { type: "masked" };
      const found = await host.read(path);
      if (found.type !== "text") continue;
      // An empty file masks a unit, as a link to /dev/null does.
      if (found.text === "") return { type: "masked" };
      const parts = [found.text, ...(await dropIns(host, file))].map(parseUnit);
      return { type: "unit", unit: { name, path, values: (section, option) => merged(parts, section, option) } };
    }
  return { type: "missing" };
}

function merged(parts: readonly ReturnType<typeof parseUnit>[], section: string, option: string): string[] {
  const values = parts.flatMap((part) => part.get(section)?.get(option) ?? []);
  return values.slice(values.lastIndexOf("") + 1);
}

async function dropIns(host: Files, file: string): Promise<string[]> {
  const byName = new Map<string, string>();
  for (const folder of folders.toReversed())
    for (const name of await host.list(`${folder}/${file}.d`)) {
      const found = name.endsWith(".conf") ? await host.read(`${folder}/${file}.d/${name}`) : undefined;
      if (found?.type === "text") byName.set(name, found.text);
    }
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}

/** Links of an enabled unit, by what its `[Install]` section names. */
export function enablingLinks({ name, values }: Unit): string[] {
  const words = (option: string): string[] => values("Install", option).flatMap((value) => value.split(/\s+/));
  return [
    ...words("WantedBy").map((target) => `${ownUnits}/${target}.wants/${name}`),
    ...words("RequiredBy").map((target) => `${ownUnits}/${target}.requires/${name}`),
    ...words("Alias").map((alias) => `${ownUnits}/${alias}`),
  ];
}

/** Names of all units that some other unit wants or requires. */
export async function wantedUnits(host: Files): Promise<string[]> {
  const names = new Set<string>();
  for (const folder of folders)
    for (const of of await host.list(folder))
      if (/\.(?:wants|requires)$/.test(of)) for (const name of await host.list(`${folder}/${of}`)) names.add(name);
  return [...names].toSorted();
}
