import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";

/** A kind with several versions. Each manager's fields are those of the version it spoke, and are compared in that. */
export interface OtherVersions {
  /** Undefined where the version is no more: what was owned in it is nobody's. */
  schemaOf(apiVersion: string): Schema | undefined;
  /** A new object, or the same where it is in that version. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}
