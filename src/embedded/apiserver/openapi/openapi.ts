import { definitions } from "../kinds/definitions.ts";
import type { Resource } from "../resource.ts";
import { openapiDocument, type OpenApiDocument } from "./document.ts";
import { documentName, ROOT_NAMES, rootDocument } from "./openapi-index.ts";

export interface OpenApiDocuments {
  /** The names of all documents, sorted: `api/v1`, `apis/apps/v1`, `version`. */
  readonly paths: readonly string[];
  /** Makes the document of that name anew; undefined where there is none. */
  readonly document: (name: string) => OpenApiDocument | undefined;
}

/** Every document that describes these resources. */
export function openapiDocuments(resources: readonly Resource[]): OpenApiDocuments {
  const versions = new Map(
    resources.map(({ group, version }) => [documentName(group, version), { group, version }] as const),
  );
  return {
    paths: [...ROOT_NAMES, ...versions.keys()].toSorted(),
    document(name) {
      const served = versions.get(name);
      return served ? openapiDocument(resources, served.group, served.version, definitions()) : rootDocument(name);
    },
  };
}
