/** The representation that the client asked for. */
export interface Representation {
  readonly format: "json" | "yaml";
  /** The object itself, or a reduced form of it. */
  readonly as: "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "APIGroupDiscoveryList";
  /** Version of the reduced form: `v1`; `v2` for aggregated discovery. */
  readonly version: string;
}

export const plainJson: Representation = { format: "json", as: "object", version: "" };

interface Clause {
  type: string;
  parameters: Record<string, string>;
  quality: number;
}

/** The API group of each reduced form. */
const reductions: Record<string, string> = {
  Table: "meta.k8s.io",
  PartialObjectMetadata: "meta.k8s.io",
  PartialObjectMetadataList: "meta.k8s.io",
  APIGroupDiscoveryList: "apidiscovery.k8s.io",
};

const versions: Record<string, readonly string[]> = {
  "meta.k8s.io": ["v1", "v1beta1"],
  "apidiscovery.k8s.io": ["v2", "v2beta1"],
};

/**
 * The first representation in the Accept header that the server has; undefined if there is none.
 * Protobuf is not offered: clients that prefer it also accept JSON.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): Representation | undefined {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json") return plainJson;
  for (const { type, parameters } of clauses(accept)) {
    const format =
      type === "application/json" || type === "*/*" ? "json" : type === "application/yaml" ? "yaml" : undefined;
    if (!format) continue;
    const as = parameters.as;
    if (as === undefined) return { format, as: "object", version: "" };
    if (!offered.includes(as) || reductions[as] !== parameters.g) continue;
    if (!versions[parameters.g ?? ""]?.includes(parameters.v ?? "")) continue;
    return { format, as: as as Representation["as"], version: parameters.v ?? "" };
  }
  return undefined;
}

function clauses(accept: string): Clause[] {
  const found = accept.split(",", 32).map((text): Clause => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const part of rest) {
      const cut = part.indexOf("=");
      if (cut > 0) parameters[part.slice(0, cut)] = part.slice(cut + 1);
    }
    return { type, parameters, quality: parameters.q === undefined ? 1 : Number(parameters.q) || 0 };
  });
  return found.filter((clause) => clause.quality > 0).toSorted((a, b) => b.quality - a.quality);
}
