import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { plain } from "../../src/program/operator/cluster-features.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import { freePort } from "../servers/program.ts";
import { eventually } from "./eventually.ts";

it("the operator serves its metrics over HTTPS with the certificate in its directory", async () => {
  const server = await startEmbeddedServer();
  const directory = await mkdtemp(join(tmpdir(), "attune-certificates-"));
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  try {
    const client = clientFor(server);
    await applyManifests(client, foundation({ mode: "plain" }));
    const { serverCertPem, serverKeyPem, caPem } = server.authority;
    await writeFile(join(directory, "tls.crt"), serverCertPem);
    await writeFile(join(directory, "tls.key"), serverKeyPem);
    const port = await freePort();
    running = runOperator({
      client,
      signal: stop.signal,
      image: "attune:test",
      agentServiceAccount: "attune-agent",
      version: "1.2.3",
      features: plain,
      metrics: await createPromMetrics(),
      metricsAddress: `127.0.0.1:${port}`,
      metricsCertificates: directory,
    });
    const text = await eventually("metrics", () => scrape(port, caPem));
    expect(text).toContain('nto_build_info{version="1.2.3"} 1');
  } finally {
    stop.abort();
    await running;
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
});

/** Undefined until the operator listens. */
function scrape(port: number, ca: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path: "/metrics", ca, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text));
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNREFUSED" ? resolve(undefined) : reject(error),
    );
    outgoing.end();
  });
}
