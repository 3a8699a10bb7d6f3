import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { create, row, update } from "../testing/run-strategy.ts";
import { horizontalPodAutoscalerV1 } from "./horizontal-pod-autoscaler-v1.ts";
import { fromV1, toV1 } from "./convert-v1.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const metric = { name: "m" };
const annotation = "autoscaling.alpha.kubernetes.io/metrics";
const stored = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "x", namespace: "rec", annotations: { mine: "yes" } },
  spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, ...spec },
  status: { desiredReplicas: 2, currentMetrics: null, ...status },
});
const processor = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 5 } },
};

describe("an autoscaler in version 1", () => {
  it("gets a target for CPU utilization if it has no metric", () => {
    const { object, faults } = create(horizontalPodAutoscalerV1, { spec: { scaleTargetRef, maxReplicas: 3 } });
    expect(faults).toEqual([]);
    expect(object.spec).toMatchObject({ minReplicas: 1, targetCPUUtilizationPercentage: 80 });
    expect(row(horizontalPodAutoscalerV1, object)).toMatchObject({ Targets: "cpu: <unknown>/80%" });
    expect(update(horizontalPodAutoscalerV1, object, { spec: { maxReplicas: 0 } }).faults).toHaveLength(2);
  });

  it.each<[string, object[]]>([
    ["processors", [processor]],
    ["a Pods metric", [{ type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "5" } } }]],
    [
      "an External metric",
      [{ type: "External", external: { metric, target: { type: "Value", value: "7" } } }, processor],
    ],
    [
      "an object",
      [{ type: "Object", object: { describedObject: scaleTargetRef, metric, target: { type: "Value", value: "2" } } }],
    ],
    [
      "a container",
      [
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 9 } },
        },
      ],
    ],
  ])("converts to version 2 and back with %s", (_what, metrics) => {
    const rules = { selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] };
    const conditions = [{ type: "AbleToScale", status: "True", lastTransitionTime: null }];
    const object = stored({ metrics, behavior: { scaleUp: rules } }, { currentReplicas: 2, conditions });
    expect(fromV1(toV1(object))).toEqual(object);
  });

  it("shows the current CPU utilization", () => {
    const currentMetrics = [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20 } } }];
    const shown = toV1(stored({ metrics: [processor] }, { currentMetrics }));
    expect(shown).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { targetCPUUtilizationPercentage: 5 },
      status: { currentReplicas: 0, currentCPUUtilizationPercentage: 20 },
    });
  });

  it.each([
    ["no JSON", "[{"],
    ["no list", "{}"],
    ["no metrics", "[1,null,[]]"],
    ["a target of another type", '[{"type":"Pods","pods":{"targetAverageValue":{}}}]'],
    ["excessive nesting", `[{"type":"Pods","pods":{"selector":${"[".repeat(9e4)}${"]".repeat(9e4)}}}]`],
  ])("does not fail on an annotation with %s", (_what, text) => {
    const { object, faults } = create(horizontalPodAutoscalerV1, {
      metadata: { annotations: { [annotation]: text } },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 7 },
    });
    expect(object.metadata.annotations?.[annotation]?.length ?? 0).toBeLessThan(100);
    expect(faults.every((fault) => fault.startsWith("spec.metrics["))).toBe(true);
  });
});
