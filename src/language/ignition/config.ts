import { at, get, isObject } from "../object/json.ts";

/** The version that MachineConfigs are written in. */
export const ignitionVersion = "3.2.0";

/** Files and units for the first boot of a machine, as far as our MachineConfigs need them. */
export interface IgnitionConfig {
  readonly ignition: { readonly version: string };
  readonly storage?: { readonly files?: readonly IgnitionFile[] };
  readonly systemd?: { readonly units?: readonly IgnitionUnit[] };
}

export interface IgnitionFile {
  readonly path: string;
  /** A decimal number: 0o644 is written 420. */
  readonly mode?: number;
  readonly contents?: FileContents;
}

export interface FileContents {
  /** A URL; a `data:` URL holds the content itself. Absent: the file is empty. */
  readonly source?: string | null | undefined;
  readonly compression?: string | null | undefined;
}

export interface IgnitionUnit {
  readonly name: string;
  /** Absent: unchanged. */
  readonly enabled?: boolean;
  readonly contents?: string;
}

export function ignitionConfig(files: readonly IgnitionFile[], units: readonly IgnitionUnit[] = []): IgnitionConfig {
  return {
    ignition: { version: ignitionVersion },
    ...(files.length > 0 ? { storage: { files } } : {}),
    ...(units.length > 0 ? { systemd: { units } } : {}),
  };
}

/** The files of any configuration. Invalid entries are skipped. */
export function filesOf(config: unknown): readonly IgnitionFile[] {
  return listAt(config, "storage", "files").flatMap((file) => {
    const path = get(file, "path");
    if (typeof path !== "string") return [];
    const mode = get(file, "mode");
    const source = at(file, "contents", "source");
    const compression = at(file, "contents", "compression");
    return [
      {
        path,
        ...(typeof mode === "number" ? { mode } : {}),
        ...(isObject(get(file, "contents"))
          ? { contents: { source: textOrNone(source), compression: textOrNone(compression) } }
          : {}),
      },
    ];
  });
}

/** The units of any configuration. Invalid entries are skipped. */
export function unitsOf(config: unknown): readonly IgnitionUnit[] {
  return listAt(config, "systemd", "units").flatMap((unit) => {
    const name = get(unit, "name");
    if (typeof name !== "string") return [];
    const enabled = get(unit, "enabled");
    const contents = get(unit, "contents");
    return [
      {
        name,
        ...(typeof enabled === "boolean" ? { enabled } : {}),
        ...(typeof contents === "string" ? { contents } : {}),
      },
    ];
  });
}

function listAt(config: unknown, ...path: string[]): readonly unknown[] {
  const list = at(config, ...path);
  return Array.isArray(list) ? list : [];
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
