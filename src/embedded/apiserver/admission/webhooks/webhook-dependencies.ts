import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { Authorizer } from "../../auth/user.ts";
import type { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import type { ReviewClient } from "../../webhook-client/review-client.ts";
import type { StoreReader } from "../../storage/store-reader.ts";

export interface WebhookDependencies {
  readonly objects: StoreReader;
  readonly registry: Pick<Registry, "find">;
  readonly authorizer: Authorizer;
  readonly client: ReviewClient;
  readonly clock: Clock;
  /** Another version of an object. */
  readonly convert: (object: KubeObject, to: Resource) => KubeObject | Promise<KubeObject>;
}
