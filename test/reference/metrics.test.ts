import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Exposition, Family, Metrics } from "../../src/cluster/runtime/metrics/metrics.ts";
import { noMetrics } from "../../src/cluster/runtime/metrics/metrics.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { type ClusterFeatures } from "../../src/program/operator/cluster-features.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { webhookMetrics } from "../../src/program/webhook/webhook-metrics.ts";
import { root } from "../architecture/imports.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const introduction = `# Metrics

The operator serves them at \`/metrics\` on port 60000 (\`--metrics-address\`), the webhook on its probe port. Agents open no
port: what they know is in the status of Profiles. Names that begin with \`nto_\` are those of the operator that OpenShift ships,
so that its dashboards go on working. Alerts and recording rules: \`attune install\` prints them as PrometheusRules.

`;

/** All that a cluster of Attune's own can have. */
const features: ClusterFeatures = {
  machineConfigPools: true,
  clusterOperators: false,
  performanceProfiles: true,
  kubeletConfigs: true,
  containerRuntimeConfigs: true,
  scyllaNodeConfigs: true,
};

let server: ServerUnderTest;
beforeAll(async () => {
  server = await startEmbeddedServer();
});
afterAll(() => server.close());

/** Keeps what is said of each metric when it is made. */
class Recorder implements Metrics, Exposition {
  readonly contentType = "text/plain";
  readonly rows = new Map<string, string>();

  counter(...made: Parameters<Metrics["counter"]>) {
    return this.#record("counter", made, noMetrics.counter(...made));
  }

  gauge(...made: Parameters<Metrics["gauge"]>) {
    return this.#record("gauge", made, noMetrics.gauge(...made));
  }

  histogram(...made: Parameters<Metrics["histogram"]>) {
    const [name, help, labels] = made;
    return this.#record("histogram", [name, help, labels], noMetrics.histogram(...made));
  }

  onCollect(): () => void {
    return () => {};
  }

  async text(): Promise<string> {
    return "";
  }

  #record<M>(type: string, made: Parameters<Metrics["counter"]>, family: Family<M>): Family<M> {
    const [name, help, labels = []] = made;
    const of = labels.map((label) => `\`${label}\``).join(", ");
    this.rows.set(name, `| \`${name}\` | ${type} | ${of} | ${help} |`);
    return family;
  }
}

it("docs/reference/metrics.md lists every metric (written anew by vitest -u)", async () => {
  await applyManifests(clientFor(server), foundation({ mode: "plain", scylla: true }));
  const stop = new AbortController();
  const operator = new Recorder();
  const running = runOperator({
    client: clientFor(server),
    signal: stop.signal,
    image: "attune:test",
    agentServiceAccount: "attune-agent",
    version: "1.2.3",
    features,
    firstBoot: { address: "127.0.0.1:0" },
    metrics: operator,
  });
  // Those that are made last, each by another controller.
  const last = ["attune_scylla_", "attune_first_boot_", "attune_partitioning_", "mcc_"];
  await vi.waitFor(
    () =>
      expect(last.filter((prefix) => ![...operator.rows.keys()].some((name) => name.startsWith(prefix)))).toEqual([]),
    { timeout: 100_000 },
  );
  stop.abort();
  await running;
  const webhook = new Recorder();
  webhookMetrics({ admission: [], conversion: [] }, () => 0, webhook);

  const table = ({ rows }: Recorder): string =>
    ["| metric | type | labels | meaning |", "|---|---|---|---|", ...[...rows.values()].toSorted()].join("\n");
  const document = `${introduction}## Operator\n\n${table(operator)}\n\n## Webhook\n\n${table(webhook)}\n`;
  await expect(document).toMatchFileSnapshot(join(root, "docs/reference/metrics.md"));
});
