import type { Schema } from "../../../language/schema/schema.ts";
import type { Body } from "./small-server.ts";

export interface WidgetVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  /** Schemas of the fields of `spec`. */
  readonly spec?: Record<string, Schema>;
}

export interface WidgetOptions {
  readonly plural?: string;
  readonly kind?: string;
  readonly shortNames?: string[];
  readonly scope?: "Namespaced" | "Cluster";
  readonly versions?: readonly WidgetVersion[];
  readonly subresources?: object;
}

/** A CustomResourceDefinition of `widgets.x.io`, or of another plural in that group. */
export function widgetDefinition(options: WidgetOptions = {}): Body {
  const { plural = "widgets", kind = "Widget", scope = "Namespaced", versions = [{ name: "v1" }] } = options;
  return {
    metadata: { name: `${plural}.x.io` },
    spec: {
      group: "x.io",
      scope,
      names: { plural, kind, ...(options.shortNames ? { shortNames: options.shortNames } : {}) },
      versions: versions.map(({ name, served = true, storage, spec = { size: { type: "integer" } } }, index) => ({
        name,
        served,
        storage: storage ?? index === 0,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: spec },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
        ...(options.subresources ? { subresources: options.subresources } : {}),
      })),
    },
  };
}
