import type { KubeObject } from "../../language/object/meta.ts";
import { webhookName } from "./names.ts";

const labels = { "app.kubernetes.io/name": webhookName, "app.kubernetes.io/part-of": "attune" };
/** Entries of the webhook configurations, as API servers name them in their metrics. */
const entries = 'name=~"(pods|nodes)-.*[.]attune[.]dev"';

/** Objectives of `docs/partitioning-slo.md`, as the share of reviews that may miss them. */
const budgets = { unanswered: 0.001, slow: 0.01 };

/** The share of reviews that were bad, as API servers see it: the webhook cannot count what does not reach it. */
const bad: Record<keyof typeof budgets, (window: string) => string> = {
  unanswered: (window) =>
    `(${[
      `sum(rate(apiserver_admission_webhook_rejection_count{${entries},error_type="calling_webhook_error"}[${window}]))`,
      `sum(rate(apiserver_admission_webhook_fail_open_count{${entries}}[${window}]))`,
    ]
      .map((part) => `(${part} or vector(0))`)
      .join(" + ")}) / ${reviews(window)}`,
  slow: (window) =>
    `1 - sum(rate(apiserver_admission_webhook_admission_duration_seconds_bucket{${entries},le="0.1"}[${window}])) / ${reviews(window)}`,
};
function reviews(window: string): string {
  return `sum(rate(apiserver_admission_webhook_admission_duration_seconds_count{${entries}}[${window}]))`;
}

/** With the first, 2 % of a month's budget is gone after an hour; with the second, 5 % after six hours. */
const burns = [
  { severity: "critical", factor: 14.4, long: "1h", short: "5m", since: "2m" },
  { severity: "warning", factor: 6, long: "6h", short: "30m", since: "15m" },
] as const;

const record = (sli: string, window: string): string => `attune:partitioning_${sli}:ratio_rate${window}`;

/** What Prometheus reads of the webhook, and when users of partitioned clusters notice that it fails them. */
export function webhookMonitoring(namespace: string): KubeObject[] {
  const metadata = { name: webhookName, namespace, labels };
  const apiVersion = "monitoring.coreos.com/v1";
  return [
    {
      apiVersion,
      kind: "ServiceMonitor",
      metadata,
      spec: {
        endpoints: [{ targetPort: "metrics", interval: "60s", path: "/metrics" }],
        namespaceSelector: { matchNames: [namespace] },
        selector: { matchLabels: labels },
      },
    },
    {
      apiVersion,
      kind: "PrometheusRule",
      metadata,
      spec: { groups: [{ name: "workload-partitioning.rules", rules: [...recordings(), ...alerts()] }] },
    },
  ];
}

function recordings(): object[] {
  const windows = burns.flatMap(({ long, short }) => [short, long]);
  return [
    ...slis.flatMap((sli) => windows.map((window) => ({ record: record(sli, window), expr: bad[sli](window) }))),
    {
      record: "attune:partitioning_decisions:rate5m",
      expr: "sum by (handler, rule, outcome) (rate(attune_webhook_decisions_total[5m]))",
    },
  ];
}

const slis = ["unanswered", "slow"] as const;

function alerts(): object[] {
  const texts = {
    unanswered: {
      name: "AttunePartitioningUnanswered",
      summary: "Pods that ask for workload partitioning are refused.",
      description:
        "The webhook does not answer API servers: pods of users are refused, pods of the platform start without reserved CPUs.",
    },
    slow: {
      name: "AttunePartitioningSlow",
      summary: "Pods that ask for workload partitioning are created slowly.",
      description: "Reviews take more than 100 ms. After 2 s API servers give up, and the pods of users are refused.",
    },
  };
  const burning = slis.flatMap((sli) =>
    burns.map(({ severity, factor, long, short, since }) => {
      const limit = Number((factor * budgets[sli]).toPrecision(3));
      const { name, ...annotations } = texts[sli];
      const expr = [long, short].map((window) => `${record(sli, window)} > ${limit}`).join(" and ");
      return { alert: name, expr, for: since, labels: { severity }, annotations };
    }),
  );
  return [
    ...burning,
    {
      alert: "AttunePartitioningUnreviewed",
      expr: "max by (kind) (attune_partitioning_unreviewed) > 0",
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Pods or nodes of a partitioned cluster do not use its reserved CPUs.",
        description:
          "{{ $value }} objects of the kind {{ $labels.kind }} were created while the webhook did not answer. Each has an event: kubectl get events -A --field-selector reason=NotPartitioned",
      },
    },
  ];
}
