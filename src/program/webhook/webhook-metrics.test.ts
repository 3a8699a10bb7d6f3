import { expect, it } from "vitest";
import type { Client } from "../../cluster/kube/client.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import { attuneHandlers } from "./attune-handlers.ts";
import { webhookMetrics } from "./webhook-metrics.ts";

it("counts the reviews of every handler from zero, and keeps all durations", async () => {
  const metrics = await createPromMetrics();
  const { handlers } = attuneHandlers({} as Client, { namespace: "n" });
  const counts = webhookMetrics(handlers, () => 0, metrics);
  const count = async (series: string): Promise<string | undefined> =>
    (await metrics.text())
      .split("\n")
      .find((line) => line.startsWith(`attune_webhook_${series} `))
      ?.split(" ")
      .at(-1);
  const reviews = (outcome: string): string =>
    `admission_requests_total{handler="pods-partitioning",operation="CREATE",outcome="${outcome}"}`;
  const durations = 'request_duration_seconds_count{handler="pods-partitioning"}';
  for (const series of [reviews("allowed"), reviews("denied"), durations]) expect(await count(series)).toBe("0");
  const conversion = 'definition="performanceprofiles.performance.openshift.io"';
  expect(await count(`conversion_requests_total{${conversion},outcome="failed"}`)).toBe("0");
  for (let n = 0; n < 3; n++) counts.admission("pods-partitioning", "CREATE", "allowed", 0.001);
  expect(await count(reviews("allowed"))).toBe("3");
  expect(await count(durations)).toBe("3");
});
