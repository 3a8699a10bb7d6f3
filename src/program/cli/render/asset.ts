import type { KubeObject } from "../../../language/object/meta.ts";

/** An object of a file. */
export interface Asset<T extends KubeObject = KubeObject> {
  /** `/assets/profiles.yaml, document 2` */
  readonly place: string;
  readonly object: T;
}
