import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../src/cluster/runtime/clock.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { impatientClock } from "../../src/cluster/runtime/testing/impatient-clock.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { poolNamespace, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const minute = 60_000;
const quick = impatientClock();
/** Without what is done every few minutes in any case. */
const clock: Clock = { ...quick, after: (ms, then) => (ms > minute ? () => {} : quick.after(ms, then)) };

it("a user of the hosted cluster who deletes the kinds of node tuning has taken tuning away for half a minute", async () => {
  const clusters = await twoClusters();
  const { management, hosted } = clusters;
  const stop = new AbortController();
  const running = runManagement({
    client: management.client,
    signal: stop.signal,
    image: "attune:test",
    leaderElection: false,
    clock,
  });
  const operator = new HostedOperator(clusters);
  operator.start();
  onTestFinished(async () => {
    stop.abort();
    await running;
    await operator.stop();
    await clusters.close();
  });
  const kubeconfig = (await readFile(hosted.server.kubeconfig)).toString("base64");
  const named = { metadata: { name: "demo" } };
  await management.client.create(
    kinds.secret,
    { apiVersion: "v1", kind: "Secret", ...named, data: { kubeconfig } },
    users,
  );
  const spec = { kubeconfig: { name: "demo" } };
  await management.client.create(hostedClusterKind, { apiVersion, kind: "HostedCluster", ...named, spec }, users);
  const tuned = { apiVersion: tunedKind.apiVersion, kind: "Tuned", metadata: { name: "web" }, spec: {} };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", ...named, data: { tuning: JSON.stringify(tuned) } };
  await management.client.create(kinds.configMap, configMap, users);
  const pool = {
    clusterName: "demo",
    tuningConfig: [{ name: "demo" }],
    management: { upgradeType: "InPlace" as const },
  };
  const nodePool = { apiVersion, kind: "NodePool", metadata: { name: "np1" }, spec: pool };
  await management.client.create(nodePoolKind, nodePool, users);
  const uid = (): Promise<string | undefined> =>
    eventually("the Tuned of the NodePool", async () => {
      const { items } = await hosted.client.list(tunedKind, { namespace: tuningNamespace });
      return items.find(({ metadata }) => metadata.name?.startsWith("web-"))?.metadata.uid;
    });
  const before = await uid();
  const writable = async (): Promise<string | undefined> => {
    const { status } = await management.client.get(nodePoolKind, "np1", users);
    return findCondition(status?.conditions, "HostedClusterWritable")?.status;
  };
  await eventually("reported as writable", async () => (await writable()) === "True");
  await hosted.client.delete(kinds.customResourceDefinition, "tuneds.tuned.openshift.io");
  await eventually("reported as not writable", async () => (await writable()) === "False");
  expect(await uid()).not.toBe(before);
  await eventually("reported as writable again", async () => (await writable()) === "True");
});
