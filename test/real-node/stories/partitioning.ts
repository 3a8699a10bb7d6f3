import { expect, test } from "vitest";
import { partitioningConfigMap } from "../../../src/domain/workload-partitioning/identifier.ts";
import {
  allowedAnnotation,
  coresOf,
  resourcesPrefix,
  targetPrefix,
} from "../../../src/domain/workload-partitioning/names.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { systemNamespace } from "../../../src/program/operator/names.ts";
import { isReady, type Pod } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import { nodeName } from "../harness/machine.ts";
import { pauseImage } from "../harness/node-programs.ts";
import type { RealCluster } from "../harness/real-cluster.ts";
import type { Stage } from "../harness/stage.ts";

const cores = coresOf("management");
const namespace = "platform";

export function partitioningStory(stage: () => Stage): void {
  test("the API server has pods of a partitioned cluster admitted by the webhook, through its Service", async () => {
    const { cluster, figures } = stage();
    expect(partitioningMode(cluster)).toBe("AllNodes");
    for (const kind of ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"]) {
      const found = JSON.parse(cluster.kubectl(["get", kind, "attune-webhook", "--output=json"])) as Configuration;
      const services = found.webhooks.filter(({ name }) => name.includes("partition")).map(serviceOf);
      expect(new Set(services)).toEqual(new Set([`${systemNamespace}/attune-webhook`]));
    }
    // A kubelet of Kubernetes advertises no cores; the agent adds them with CRI-O only.
    setCores(cluster, "2k");
    cluster.apply(namespaceObject);
    try {
      await eventually(60, "the kubelet has made the cores allocatable", async () => {
        const node = await cluster.api.get<NodeObject>(`/api/v1/nodes/${nodeName}`);
        return node?.status.allocatable[cores] !== undefined;
      });
      const began = performance.now();
      cluster.apply(podObject("managed", { cpu: "100m", memory: "8Mi" }, { [`${targetPrefix}management`]: effect }));
      figures.addSeconds("a pod for the reserved CPUs, admitted through the Service", began);
      const pod = await eventually(90, "the pod runs", async () => {
        const found = await cluster.api.get<AdmittedPod>(`/api/v1/namespaces/${namespace}/pods/managed`);
        return found !== undefined && isReady(found) && found;
      });
      expect(pod.metadata.annotations).toMatchObject({ [`${resourcesPrefix}only`]: '{"cpushares":102}' });
      expect(pod.spec.containers[0]?.resources).toEqual({
        requests: { memory: "8Mi", [cores]: "100" },
        limits: { [cores]: "100" },
      });

      const unasked = podObject("direct", { [cores]: "10" });
      expect(() => cluster.apply(unasked)).toThrow("workload resources are set by admission");
    } finally {
      cluster.kubectl(["delete", "namespace", namespace]);
      setCores(cluster, null);
    }
  });
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service?: { readonly namespace: string; readonly name: string } };
}

interface Configuration {
  readonly webhooks: readonly Webhook[];
}

interface NodeObject extends KubeObject {
  status: { allocatable: Record<string, string> };
}

interface AdmittedPod extends Pod {
  spec: { containers: { resources: object }[] };
}

const effect = '{"effect":"PreferredDuringScheduling"}';

const namespaceObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: namespace, annotations: { [allowedAnnotation]: "management" } },
};

function podObject(name: string, amounts: Record<string, string>, annotations = {}): object {
  const resources = { requests: amounts, ...(cores in amounts ? { limits: amounts } : {}) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, annotations },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "only", image: pauseImage, resources }] },
  };
}

function serviceOf({ clientConfig: { service } }: Webhook): string {
  return `${service?.namespace}/${service?.name}`;
}

export function partitioningMode(cluster: RealCluster): string {
  const { namespace, name } = partitioningConfigMap;
  const words = ["get", "configmap", name, `--namespace=${namespace}`, "--output=jsonpath={.data.cpuPartitioning}"];
  return cluster.kubectl(words);
}

function setCores(cluster: RealCluster, amount: string | null): void {
  const patch = JSON.stringify({ status: { capacity: { [cores]: amount } } });
  cluster.kubectl(["patch", "node", nodeName, "--subresource=status", "--type=merge", `--patch=${patch}`]);
}
