import type { LabelSelectorObject } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { ClientConfig, ReviewClient } from "../../webhook-client/review-client.ts";
import type { Authorizer } from "../../auth/user.ts";
import type { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import type { StoreReader } from "../../storage/store-reader.ts";
import {
  type CompiledCondition,
  compileMatchConditions,
  type MatchCondition,
} from "../expressions/match-conditions.ts";
import type { Rule, Rules } from "../match/rules.ts";
import { compileSelectors, type Selectors } from "../match/selectors.ts";

/** One webhook of a configuration, mutating or validating. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig?: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[] | null;
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
}

export function webhooksIn(configuration: KubeObject): readonly Webhook[] {
  return (configuration.webhooks as readonly Webhook[] | undefined) ?? [];
}

/** A webhook compiled for matching, once per change of its configuration. */
export interface CompiledWebhook {
  /** Unique, unlike its name. */
  readonly id: string;
  readonly webhook: Webhook;
  readonly rules: Rules;
  readonly selectors: Selectors;
  readonly conditions: readonly CompiledCondition[];
}

export function compileWebhook(configuration: string, index: number, webhook: Webhook): CompiledWebhook {
  const { rules = [], matchPolicy, matchConditions } = webhook;
  return {
    id: `${configuration}/${index}`,
    webhook,
    rules: { rules, matchPolicy },
    selectors: compileSelectors(webhook),
    conditions: compileMatchConditions(matchConditions),
  };
}

export interface WebhookDependencies {
  readonly objects: StoreReader;
  readonly registry: Pick<Registry, "find">;
  readonly authorizer: Authorizer;
  readonly client: ReviewClient;
  readonly clock: Clock;
  /** Converts an object to another version. */
  readonly convert: (object: KubeObject, to: Resource) => KubeObject | Promise<KubeObject>;
}
