import { type Expression, compileExpression } from "../../../../language/schema/cel/expression.ts";
import { merged, standardLibrary } from "../../../../language/schema/cel/library/library.ts";
import { CompileError, showError } from "../../../../language/schema/cel/syntax.ts";
import {
  bool,
  dyn,
  list,
  map,
  nullType,
  showType,
  string,
  timestamp,
  int,
  type Type,
} from "../../../../language/schema/cel/type.ts";
import { authorization, authorizerType, resourceCheckType } from "./authorizer-library.ts";

/** The variables of an expression in addition to `request` and `namespaceObject`. */
export interface Environment {
  /** The type of object and oldObject, if it is known. */
  readonly object?: Type;
  readonly params?: boolean | Type;
  readonly authorizer?: boolean;
  /** The type of `variables`. */
  readonly variables?: Type;
}

/** The result type of an expression. `any` is not checked. */
export type Yields = "bool" | "string" | "string or null" | "any";

export type Outcome =
  | { readonly type: "compiled"; readonly expression: Expression }
  /** `shown` is `detail` without the prefix `compilation failed`. */
  | { readonly type: "fault"; readonly detail: string; readonly shown: string };

/** Compiles an expression about a write. The detail of a fault is kube-apiserver's message. */
export function compileAbout(source: string, environment: Environment, yields: Yields): Outcome {
  try {
    const expression = compileExpression(source, typesIn(environment), library);
    const allowed = yieldTypes[yields];
    if (!allowed || allowed.some(({ kind }) => kind === expression.type.kind)) return { type: "compiled", expression };
    const wanted = allowed.map(nameOf);
    const one = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(" ")}]`;
    const shown = `must evaluate to ${one} but got ${nameOf(expression.type)}`;
    return { type: "fault", detail: shown, shown };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const shown = showError(error, source);
    return { type: "fault", detail: `compilation failed: ${shown}`, shown };
  }
}

const library = merged([standardLibrary, authorization()]);

const yieldTypes: Record<Yields, readonly Type[] | undefined> = {
  bool: [bool],
  string: [string],
  "string or null": [string, nullType],
  any: undefined,
};

const ownNames = new Map([
  ["null", "null_type"],
  ["timestamp", "google.protobuf.Timestamp"],
  ["duration", "google.protobuf.Duration"],
]);

const nameOf = (type: Type): string => ownNames.get(type.kind) ?? showType(type);

function typesIn({ object = dyn, params, authorizer, variables }: Environment): Record<string, Type> {
  return {
    object,
    oldObject: object,
    request: requestType,
    namespaceObject: namespaceType,
    ...(params ? { params: params === true ? dyn : params } : {}),
    ...(authorizer ? { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType } : {}),
    ...(variables ? { variables } : {}),
  };
}

function objectType(name: string, fields: Readonly<Record<string, Type>>): Type {
  return { kind: "object", name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
}

const strings = list(string);
const kindType = objectType("GroupVersionKind", { group: string, version: string, kind: string });
const resourceType = objectType("GroupVersionResource", { group: string, version: string, resource: string });

const requestType = objectType("AdmissionRequest", {
  kind: kindType,
  resource: resourceType,
  subResource: string,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: objectType("UserInfo", { username: string, uid: string, groups: strings, extra: map(string, strings) }),
  dryRun: bool,
  options: dyn,
});

const namespaceType = objectType("Namespace", {
  metadata: objectType("NamespaceMetadata", {
    name: string,
    generateName: string,
    namespace: string,
    labels: map(string, string),
    annotations: map(string, string),
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: strings,
  }),
  spec: objectType("NamespaceSpec", { finalizers: strings }),
  status: objectType("NamespaceStatus", {
    conditions: list(
      objectType("NamespaceCondition", {
        status: string,
        type: string,
        lastTransitionTime: timestamp,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});
