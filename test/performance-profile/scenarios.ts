import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";

const fixtures = join(import.meta.dirname, "../fixtures/performance-profile");

interface Recorded {
  readonly name: string;
  /** Names of files, folder by folder. */
  readonly folders: readonly (readonly string[])[];
  readonly ownerRef: string;
  readonly partitioned?: boolean;
  readonly profiles?: Readonly<Record<string, { readonly differs: Json }>>;
}

export interface Scenario {
  readonly name: string;
  /** Texts of files by their names, folder by folder. */
  readonly folders: readonly Readonly<Record<string, string>>[];
  readonly ownerRef: string;
  /** Reduced, by kind and name. Absent: it must fail. */
  readonly expected?: Readonly<Record<string, unknown>>;
}

/** Folders of files, and what the replaced operator rendered from them. */
export function scenarios(): readonly Scenario[] {
  const plain = read("render/plain.yaml") as Json;
  const partitioned = applyMergePatch(plain, read("render/partitioned.yaml") as Json);
  const { files, scenarios: recorded } = read("scenarios/scenarios.yaml") as {
    files: Record<string, string>;
    scenarios: Recorded[];
  };
  return recorded.map(({ name, folders, ownerRef, partitioned: isPartitioned, profiles }) => ({
    name,
    folders: folders.map((names) => Object.fromEntries(names.map((file) => [`${file}.yaml`, files[file] ?? ""]))),
    ownerRef,
    ...(profiles ? { expected: expectedOf(isPartitioned ? partitioned : plain, profiles) } : {}),
  }));
}

function expectedOf(base: Json, profiles: NonNullable<Recorded["profiles"]>): Record<string, unknown> {
  const each = Object.entries(profiles).map(([profile, { differs }]) => {
    const objects = JSON.stringify(applyMergePatch(base, differs)).replaceAll("PROFILE", profile);
    return JSON.parse(objects) as Record<string, unknown>;
  });
  return Object.assign({}, ...each) as Record<string, unknown>;
}

function read(file: string): unknown {
  return parse(readFileSync(join(fixtures, file), "utf8"));
}
