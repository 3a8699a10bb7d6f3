import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { webhookMonitoring } from "./monitoring.ts";
import { webhookMetrics } from "./webhook-metrics.ts";

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const [, rules] = webhookMonitoring("attune-system");
const groups = rules?.["spec"] as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
const all = groups.groups.flatMap((group) => group.rules);
const document = readFileSync(new URL("../../../docs/partitioning-slo.md", import.meta.url), "utf8");

describe("rules about partitioned workloads", () => {
  it("alert only on what is recorded or exported", () => {
    const exported: string[] = ["attune_partitioning_unreviewed"];
    const family = { labels: () => ({ inc() {}, set() {}, add() {}, observe() {} }), remove() {} };
    const note = (name: string): typeof family => {
      exported.push(name);
      return family;
    };
    const metrics = { counter: note, gauge: note, histogram: note, onCollect: () => () => {} };
    webhookMetrics({ admission: [], conversion: [] }, () => 0, metrics);
    const known = new Set([...exported, ...all.flatMap(({ record }) => record ?? [])]);
    const used = all.flatMap(({ expr }) => expr.match(/attune[:_][a-z0-9:_]+/g) ?? []);
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it("are all in the document, with their metrics", () => {
    for (const { alert } of all) if (alert !== undefined) expect(document).toContain(`\`${alert}\``);
    for (const metric of ["attune_webhook_decisions_total", "attune_webhook_request_duration_seconds"])
      expect(document).toContain(metric);
  });

  it("never divide by another window", () => {
    for (const { expr, record } of all.filter((rule) => rule.record?.includes("ratio"))) {
      const windows = new Set(expr.match(/\[\w+\]/g));
      expect([...windows]).toEqual([`[${record?.split("rate").at(-1)}]`]);
    }
  });
});
