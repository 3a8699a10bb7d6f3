import type { LabelSelectorObject } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { ClientConfig } from "../../webhook-client/review-client.ts";
import type { MatchCondition } from "../expressions/match-conditions.ts";
import type { Rule } from "../match/rules.ts";

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
