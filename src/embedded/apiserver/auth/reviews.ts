import { formatTime } from "../../../language/object/time.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Resource, Subresource } from "../resource.ts";
import { reviewAccess, reviewLocalAccess, reviewSelfAccess, reviewSelfRules } from "./access-review.ts";
import type { Authenticator } from "./authenticator.ts";
import type { ClusterAuthorizer } from "./cluster-authorizer.ts";
import {
  defaultTokenRequest,
  issueToken,
  prepareTokenRequest,
  type TokenRequestDependencies,
} from "./token/token-request.ts";
import { reviewSelf, reviewToken } from "./token/token-review.ts";

export interface ReviewDependencies {
  readonly authorizer: ClusterAuthorizer;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** `io.k8s.api.authorization.v1.SelfSubjectAccessReview` → its schema. */
  readonly schemas: (definitionName: string) => Schema;
}

type Compute = NonNullable<Resource["compute"]>;

/** The review kinds: a create is answered with a status, and nothing is stored. */
export function reviewResources({ authorizer, authenticator, clock, schemas }: ReviewDependencies): Resource[] {
  const review = (group: "authentication" | "authorization", kind: string, compute: Compute): Resource => ({
    group: `${group}.k8s.io`,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: kind.startsWith("Local"),
    verbs: ["create"],
    storageVersion: "v1",
    // A getter, so that the server links the schema when it is first used instead of at start.
    get schema() {
      return schemas(`io.k8s.api.${group}.v1.${kind}`);
    },
    origin: "builtin",
    selectableFields: {},
    columns: [],
    strategy: {},
    compute,
    subresources: {},
  });
  return [
    review("authorization", "SelfSubjectAccessReview", async (body, { user }) =>
      reviewSelfAccess(body, user, authorizer),
    ),
    review("authorization", "SubjectAccessReview", async (body) => reviewAccess(body, authorizer)),
    review("authorization", "LocalSubjectAccessReview", async (body, { namespace }) =>
      reviewLocalAccess(body, namespace || (body.metadata.namespace ?? ""), authorizer),
    ),
    review("authorization", "SelfSubjectRulesReview", async (body, { user }) =>
      reviewSelfRules(body, user, authorizer),
    ),
    review("authentication", "SelfSubjectReview", async (body, { user }) =>
      reviewSelf(body, user, formatTime(clock.now())),
    ),
    review("authentication", "TokenReview", async (body) => reviewToken(body, authenticator)),
  ];
}

export interface TokenActionDependencies extends TokenRequestDependencies {
  readonly clock: Clock;
  readonly schemas: (definitionName: string) => Schema;
}

/** The subresource `token` of serviceaccounts. */
export function tokenRequestAction(dependencies: TokenActionDependencies): Subresource {
  const { clock, schemas } = dependencies;
  return {
    type: "action",
    group: "authentication.k8s.io",
    version: "v1",
    kind: "TokenRequest",
    verbs: ["create"],
    get schema() {
      return schemas("io.k8s.api.authentication.v1.TokenRequest");
    },
    defaults: defaultTokenRequest,
    prepare: (body, context) => prepareTokenRequest(body, context, dependencies, formatTime(clock.now())),
    perform: async (body, context) => issueToken(body, context, dependencies),
  };
}
