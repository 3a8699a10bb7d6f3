import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { staticCredentials } from "../../../cluster/kube/connect/credentials.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { clusterOfPod, selfSigned, serveInCluster } from "./in-cluster.ts";

const connection = { cluster: { server: "https://x" }, credentials: staticCredentials({}), namespace: "", name: "x" };

/** The certificate that new connections get. */
function certificateOf(url: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false }, () => {
      const certificate = new X509Certificate(socket.getPeerCertificate().raw);
      socket.destroy();
      resolve(certificate);
    });
    socket.once("error", reject);
  });
}

it("serves a certificate of its own, for all its names, until there is one in the folder", async () => {
  const certificates = await mkdtemp(join(tmpdir(), "attune-console-"));
  onTestFinished(() => rm(certificates, { recursive: true, force: true }));
  const stop = new AbortController();
  const clock = new VirtualClock();
  const options = { connection, host: "127.0.0.1", port: 0, allowedHosts: ["console.example:444"], certificates };
  const running = await serveInCluster({ ...options, signal: stop.signal, log: noLog, clock });
  expect(running.url).toMatch(/^https:/);
  expect((await certificateOf(running.url)).subjectAltName).toBe(
    "DNS:localhost, IP Address:127.0.0.1, DNS:console.example",
  );
  const { cert, key } = selfSigned(["other.example"], clock);
  await writeFile(join(certificates, "tls.crt"), cert);
  // Without its key it is not used.
  await clock.advance(60_000);
  await writeFile(join(certificates, "tls.key"), key);
  await expect
    .poll(async () => {
      await clock.advance(60_000);
      return (await certificateOf(running.url)).subjectAltName;
    })
    .toBe("DNS:other.example");
  stop.abort();
  await running.stopped;
});

it("runs only in a pod", async () => {
  await expect(clusterOfPod({})).rejects.toThrow("--in-cluster: this is no pod of a cluster");
});
