import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { type ClusterFeatures, tuningOnly } from "../../src/program/operator/cluster-features.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { freePort } from "../servers/program.ts";
import { clusterOperatorDefinition } from "./cluster-operator-definition.ts";
import { eventually } from "./eventually.ts";

describe("the operator serves its metrics over HTTPS with the certificate in its directory", () => {
  let server: ServerUnderTest;
  let directory = "";
  let stop = new AbortController();
  let running: Promise<void> | undefined;

  beforeAll(async () => {
    server = await startEmbeddedServer();
    await applyManifests(clientFor(server), [...foundation({ mode: "standalone" }), clusterOperatorDefinition]);
    directory = await mkdtemp(join(tmpdir(), "attune-certificates-"));
    await writeFile(join(directory, "tls.crt"), server.authority.serverCertPem);
    await writeFile(join(directory, "tls.key"), server.authority.serverKeyPem);
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function serving(features: ClusterFeatures): Promise<RequestOptions> {
    const port = await freePort();
    stop = new AbortController();
    running = runOperator({
      client: clientFor(server),
      signal: stop.signal,
      image: "attune:test",
      agentServiceAccount: "attune-agent",
      version: "1.2.3",
      features,
      metrics: await createPromMetrics(),
      metricsAddress: `127.0.0.1:${port}`,
      metricsCertificates: directory,
    });
    return { host: "127.0.0.1", port, path: "/metrics", ca: server.authority.caPem, agent: false };
  }

  it("to every client on clusters whose Prometheus has no certificate", async () => {
    const options = await serving(tuningOnly);
    const text = await eventually("metrics", () => scrape(options));
    expect(text).toContain('nto_build_info{version="1.2.3"} 1');
  });

  it("to clients whose certificates the cluster signed on OpenShift, and tells others 401", async () => {
    const { caPem, adminCertPem: cert, adminKeyPem: key } = server.authority;
    await clientFor(server).create(
      kinds.configMap,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
        data: { "client-ca-file": caPem },
      },
      { namespace: "kube-system" },
    );
    const options = await serving({ ...tuningOnly, clusterOperators: true });
    const text = await eventually("metrics", async () => {
      const answer = await scrape({ ...options, cert, key });
      return answer?.startsWith("200") && answer;
    });
    expect(text).toContain('nto_build_info{version="1.2.3"} 1');
    expect(await scrape(options)).toMatch(/^401 /);
  });
});

/** Undefined until the operator listens. */
function scrape(options: RequestOptions): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      ["ECONNREFUSED", "ECONNRESET"].includes(error.code ?? "") ? resolve(undefined) : reject(error),
    );
    outgoing.end();
  });
}
