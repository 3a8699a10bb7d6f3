import { createHash } from "node:crypto";
import type { NpmPackage } from "./bundled-packages.ts";
import { nodejs } from "./contents.ts";
import type { DebianPackage } from "./debian-packages.ts";
import type { Source } from "./source.ts";

interface Component {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Package URL, by which scanners know it. */
  readonly purl: string;
}

/** What the image contains, as SPDX 2.3. The same content always gives the same text. */
export function sbom(source: Source, packages: readonly DebianPackage[], bundled: readonly NpmPackage[]): string {
  const attune = component("attune", source.version, "Apache-2.0", `pkg:generic/attune@${source.version}`);
  const parts = [
    component("nodejs", nodejs.version, "MIT", `pkg:generic/nodejs@${nodejs.version}`),
    ...packages.map(({ name, version, architecture }) => {
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
      // Debian says in a text which licences apply to which files: usr/share/doc/<name>/copyright.
      return component(name, version, "NOASSERTION", purl);
    }),
    ...bundled.map(({ name, version, license }) =>
      component(name, version, license, `pkg:npm/${name.replace("@", "%40")}@${version}`),
    ),
  ];
  const all = [attune, ...parts];
  const content = createHash("sha256").update(JSON.stringify(all)).digest("hex");
  return `${JSON.stringify(
    {
      spdxVersion: "SPDX-2.3",
      dataLicense: "CC0-1.0",
      SPDXID: "SPDXRef-DOCUMENT",
      name: `attune-${source.version}`,
      documentNamespace: `urn:attune:sbom:${content}`,
      creationInfo: { created: instant(source.time), creators: ["Tool: attune-image"] },
      packages: all.map(describe),
      relationships: [
        relate("SPDXRef-DOCUMENT", "DESCRIBES", attune.id),
        ...parts.map(({ id }) => relate(attune.id, "CONTAINS", id)),
      ],
    },
    null,
    2,
  )}\n`;
}

/** SPDX wants no fractions of seconds. */
export function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}

function component(name: string, version: string, license: string, purl: string): Component {
  return { id: `SPDXRef-${purl.replace(/[^A-Za-z0-9.]+/g, "-")}`, name, version, license, purl };
}

function describe({ id, name, version, license, purl }: Component): object {
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license,
    copyrightText: "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}

function relate(from: string, relationshipType: string, to: string): object {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}
