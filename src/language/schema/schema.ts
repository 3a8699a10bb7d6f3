import type { Json } from "../object/json.ts";

/**
 * One schema language for built-in kinds and custom resources: the structural subset of OpenAPI v3 with Kubernetes'
 * extensions. Built-in schemas are linked graphs: where the generated definitions have a `$ref`, a linked schema points
 * at the other schema itself, so no caller resolves names. A graph is not always a tree: JSONSchemaProps contains itself.
 */
export interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  title?: string;
  description?: string;
  nullable?: boolean;
  default?: Json;
  enum?: Json[];

  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;

  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;

  minLength?: number;
  maxLength?: number;
  pattern?: string;

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;

  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;

  externalDocs?: Json;
  example?: Json;

  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-validations"?: ValidationRule[];

  /** Strategic merge of built-in kinds: `merge`, `replace`, `retainKeys`, comma separated. */
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;

  /** Built-in kinds only: what Go's encoding of the type does and a schema cannot express. */
  go?: GoEncoding;
}

/** How Go encodes a struct. Fields not named here are omitted when they hold their zero value ("", 0, false, [], {} maps). */
export interface GoEncoding {
  /** The Go name of the type, for decoding errors: `ConfigMap`. */
  name?: string;
  /** Fields without omitempty, and the zero value that Go writes for them. */
  always?: Record<string, Json>;
  /** Scalar pointer fields: an explicit zero value is kept. */
  pointers?: string[];
}

export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}
