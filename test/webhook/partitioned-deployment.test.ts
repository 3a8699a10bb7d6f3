import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runWorkloads } from "../../src/embedded/lab/workloads/run-workloads.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { Kubectl, kubectlPath } from "../conformance/kubectl.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import { growingPause } from "../servers/until.ts";
import {
  allowed,
  cores,
  partitionedCluster,
  type PartitionedCluster,
  podObject,
  target,
} from "./partitioned-cluster.ts";

if (!kubectlPath) console.warn("skipped: there is no kubectl, and ATTUNE_KUBECTL names none");

describe.skipIf(!kubectlPath)("kubectl on a partitioned cluster", () => {
  let cluster: PartitionedCluster;
  let kubectl: Kubectl;
  let home = "";
  const stop = new AbortController();
  let controllers: Promise<void> | undefined;

  beforeAll(async () => {
    cluster = await partitionedCluster({ name: "embedded", start: startEmbeddedServer });
    await cluster.namespace("users", allowed);
    await cluster.webhook();
    home = await mkdtemp(join(tmpdir(), "attune-kubectl-"));
    kubectl = new Kubectl(home, cluster.server.kubeconfig);
    controllers = runWorkloads({ clientAs: (who) => cluster.admin.as(who), signal: stop.signal });
  });
  afterAll(async () => {
    stop.abort();
    await controllers;
    await cluster?.close();
    await rm(home, { recursive: true, force: true });
  });

  const rewritten = {
    metadata: { annotations: { ...target, "resources.workload.openshift.io/one": '{"cpushares":256}' } },
    spec: { containers: [{ resources: { requests: { [cores]: "250" }, limits: { [cores]: "250" } } }] },
  };

  it("shows in a dry run how a pod is rewritten, and stores none", async () => {
    const stdin = JSON.stringify(podObject("shown", { annotations: target }));
    expect(await kubectl.json("apply -n users --dry-run=server -f -", { stdin })).toMatchObject(rewritten);
    expect((await cluster.admin.list(kinds.pod, { namespace: "users" })).items).toEqual([]);
  });

  it("rewrites the pods of a Deployment whose template asks for it", async () => {
    const { spec } = podObject("one");
    const labels = { app: "one" };
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "one", namespace: "users" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: target }, spec },
      },
    };
    await kubectl.prints("apply -f -", "deployment.apps/one created", { stdin: JSON.stringify(deployment) });
    let pods: readonly KubeObject[] = [];
    for (const pause = growingPause(); pods.length < 2; await pause())
      pods = (await cluster.admin.list(kinds.pod, { namespace: "users" })).items;
    expect(pods).toMatchObject([rewritten, rewritten]);
  });
});
