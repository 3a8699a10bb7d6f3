import { clone } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { ClientConfig } from "../../webhook-client/review-client.ts";
import type { Body } from "../../testing/small-server.ts";

export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: KubeObject[];
}

interface WidgetSpec {
  size?: number;
  dimensions?: { size?: number };
}

/** v1 has `spec.size`, v2 has `spec.dimensions.size`. */
function convertWidget(widget: KubeObject, apiVersion: string): KubeObject {
  const converted = { ...clone(widget), apiVersion } as KubeObject & { spec?: WidgetSpec };
  const { size, dimensions, ...rest } = converted.spec ?? {};
  const known = size ?? dimensions?.size;
  if (converted.spec && known !== undefined)
    converted.spec = { ...rest, ...(apiVersion.endsWith("/v1") ? { size: known } : { dimensions: { size: known } }) };
  return converted;
}

/** The response of a webhook; `change` makes it a faulty one. */
export function answerConversion(
  review: object,
  change: (converted: KubeObject[]) => unknown[] = (converted) => converted,
): { readonly response: Record<string, unknown>; readonly [field: string]: unknown } {
  const { request, ...head } = review as { request: ConversionRequest };
  const converted = request.objects.map((widget) => convertWidget(widget, request.desiredAPIVersion));
  return {
    ...head,
    response: { uid: request.uid, result: { status: "Success" }, convertedObjects: change(converted) },
  };
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** `widgets.x.io`, stored as v1 by default, with a webhook that converts between v1 and v2. */
export function convertedWidgets(clientConfig: ClientConfig, storage: "v1" | "v2" = "v1"): Body {
  const scale = (specReplicasPath: string): object => ({ specReplicasPath, statusReplicasPath: ".status.size" });
  const version = (name: string, properties: object, path: string): object => ({
    name,
    served: true,
    storage: name === storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { color: { type: "string" }, ...properties } },
          status: anything,
        },
      },
    },
    subresources: { status: {}, scale: scale(path) },
    selectableFields: [{ jsonPath: path }],
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: path }],
  });
  const size = { type: "integer", minimum: 0 };
  return {
    metadata: { name: "widgets.x.io" },
    spec: {
      group: "x.io",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        version("v1", { size }, ".spec.size"),
        version("v2", { dimensions: { type: "object", properties: { size } } }, ".spec.dimensions.size"),
      ],
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  };
}
