import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** As an SPDX expression. */
  readonly license: string;
  /** Text of the licence. */
  readonly text: string;
}

/**
 * The packages of npm that the bundle contains: those that its source maps name, re2js, which has no map, and those that the
 * build of the page has noted.
 */
export function bundledPackages(bundle: string, root: string): NpmPackage[] {
  const maps = readdirSync(bundle).filter((name) => name.endsWith(".map"));
  const names = new Set(["re2js"]);
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(bundle, map), "utf8")) as { sources: string[] };
    for (const source of sources) {
      // Relative to the bundle, which is itself below node_modules.
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//.exec(join(bundle, source)) ?? [];
      if (name) names.add(name);
    }
  }
  for (const name of JSON.parse(readFileSync(join(bundle, "console/packages.json"), "utf8")) as string[])
    names.add(name);
  return [...names].sort().map((name) => describe(name, join(root, "node_modules", name)));
}

function describe(name: string, folder: string): NpmPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version: string;
    license?: string;
  };
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  return { name, version: manifest.version, license: manifest.license ?? "NOASSERTION", text };
}
