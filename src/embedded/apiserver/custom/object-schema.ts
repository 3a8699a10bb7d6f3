import type { Schema } from "../../../language/schema/schema.ts";
import { definitionOf } from "../kinds/definitions.ts";

const STRING: Schema = { type: "string" };

/** The schema of a whole custom object: what its definition says, and what every object has. */
export function objectSchema(schema: Schema): Schema {
  const metadata = definitionOf("meta.k8s.io", "v1", "ObjectMeta");
  const own = schema.properties?.["metadata"]?.properties;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: STRING,
      kind: STRING,
      // A definition may restrict an object's name, and nothing else of its metadata.
      metadata: own ? { ...metadata, properties: { ...metadata.properties, ...own } } : metadata,
    },
  };
}
