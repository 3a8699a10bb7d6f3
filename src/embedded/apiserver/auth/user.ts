import type { FieldRequirement } from "../../../language/object/field-selector.ts";

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** What a request wants to do, in the words of RBAC. */
export type Attributes =
  | {
      readonly type: "resource";
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      /** Of a list, watch or deletion of a collection: some may only see a share. */
      readonly fieldSelector?: readonly FieldRequirement[];
    }
  | { readonly type: "path"; readonly verb: string; readonly path: string };

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision;
}
