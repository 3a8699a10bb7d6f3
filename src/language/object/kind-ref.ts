import type { KubeObject } from "./meta.ts";

/** Which kind a call is about, and (in the type) what its objects look like. */
export interface KindRef<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries the type. */
  readonly object?: T;
}
