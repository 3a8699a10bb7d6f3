import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { printObjects } from "../../src/program/cli/terminal/serialise.ts";
import { forTarget, readTarget } from "../../src/program/cli/install/target-cluster.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { onEachEmptyServer } from "../conformance/on-each-server.ts";
import { clientFor } from "../servers/client-for.ts";

const everything = installManifests({ mode: "standalone", protocol: "shipped", monitoring: true });
const isMonitoring = ({ apiVersion }: KubeObject): boolean => apiVersion.startsWith("monitoring.");
const name = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

describe("what attune install prints", () => {
  it("is deterministic, and parses back to the same objects", async () => {
    const text = await printObjects(everything, "yaml");
    expect(
      await printObjects(installManifests({ mode: "standalone", protocol: "shipped", monitoring: true }), "yaml"),
    ).toBe(text);
    const documents = text.split(/^---\n/m).filter((document) => document !== "");
    expect(documents.map((document) => readYaml(document))).toEqual(JSON.parse(JSON.stringify(everything)));
    expect(JSON.parse(await printObjects(everything, "json"))).toMatchObject({ kind: "List", items: everything });
  });

  it("has no CRDs of OpenShift but Infrastructure, with --mode standalone, and those of machine configuration only with --mode standalone or plain", () => {
    const definitions = (manifests: KubeObject[]): string[] =>
      manifests.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name ?? "");
    expect(definitions(installManifests())).toEqual([
      "tuneds.tuned.openshift.io",
      "profiles.tuned.openshift.io",
      "performanceprofiles.performance.openshift.io",
    ]);
    expect(definitions(installManifests({ mode: "tuning" }))).toEqual(definitions(installManifests()));
    const infrastructures = "infrastructures.config.openshift.io";
    expect([...definitions(installManifests({ mode: "plain" })), infrastructures]).toEqual(definitions(everything));
    expect(definitions(everything).filter((crd) => crd.endsWith(".config.openshift.io"))).toEqual([infrastructures]);
    expect(definitions(everything).filter((crd) => crd.endsWith(".machineconfiguration.openshift.io"))).toHaveLength(4);
  });

  it("has the alerts of the operator it replaces, and those about workload partitioning", () => {
    const rules = everything.filter(({ kind }) => kind === "PrometheusRule") as unknown as Rules[];
    const alerts = rules.flatMap(({ spec }) => spec.groups.flatMap(({ rules }) => rules)).map(({ alert }) => alert);
    expect([...new Set(alerts)]).toEqual([
      undefined,
      "NTOPodsNotReady",
      "NTOPodLabelsUsed",
      "NTOInvalidTunedExist",
      "NTODegraded",
      "AttunePartitioningUnanswered",
      "AttunePartitioningSlow",
      "AttunePartitioningUnreviewed",
    ]);
  });

  describe.each([true, false])("serves metrics, where OpenShift is %s,", (isOpenShift) => {
    const objects = installManifests({ mode: "standalone", monitoring: true, isOpenShift });
    const found = (kind: string, named: string): Monitored =>
      objects.find((object) => object.kind === kind && object.metadata.name === named) as unknown as Monitored;
    const service = found("Service", "node-tuning-operator");
    const { template } = found("Deployment", "attune-operator").spec;

    it("by the names that ServiceMonitors and dashboards of the shipped operator select", () => {
      expect(service.metadata.labels).toMatchObject({ name: "node-tuning-operator" });
      expect(service.spec).toEqual({
        clusterIP: "None",
        selector: { name: "cluster-node-tuning-operator" },
        ports: [{ port: 60000, targetPort: 60000, protocol: "TCP" }],
      });
      expect(template.metadata.labels).toMatchObject(service.spec.selector);
      const { args, ports } = template.spec.containers[0]!;
      expect(args.join(" ")).toContain("--metrics-address :60000 --metrics-certificates /etc/secrets");
      expect(ports).toContainEqual({ name: "metrics", containerPort: 60000, protocol: "TCP" });
    });

    it("with the certificate of the service CA, if there is one", () => {
      const secret = "node-tuning-operator-tls";
      expect(service.metadata.annotations).toEqual({ "service.beta.openshift.io/serving-cert-secret-name": secret });
      expect(template.spec.volumes).toEqual([{ name: secret, secret: { secretName: secret, optional: true } }]);
    });

    it("over HTTPS on OpenShift, over HTTP elsewhere", () => {
      const [endpoint] = found("ServiceMonitor", "node-tuning-operator").spec.endpoints;
      expect(endpoint).toMatchObject({ targetPort: 60000, path: "/metrics" });
      expect(endpoint?.scheme).toBe(isOpenShift ? "https" : undefined);
      expect(endpoint?.tlsConfig?.serverName).toBe(isOpenShift ? "node-tuning-operator.attune-system.svc" : undefined);
      const certificate = "/etc/prometheus/secrets/metrics-client-certs/tls.crt";
      expect(endpoint?.tlsConfig?.certFile).toBe(isOpenShift ? certificate : undefined);
    });
  });

  it("notes what is missing on a cluster without ValidatingAdmissionPolicy", () => {
    const target = {
      monitoring: false,
      isOpenShift: false,
      admissionPolicies: false,
      machineConfigsAreOurs: false,
      foreign: new Set<string>(),
    };
    const { objects, notes } = forTarget(everything, target);
    expect(notes).toEqual([expect.stringMatching(/^the cluster has no ValidatingAdmissionPolicy: /)]);
    expect(objects.filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"))).toEqual([]);
  });

  it("has the policies before the rights that they limit", () => {
    const at = (kind: string): number => everything.findIndex((object) => object.kind === kind);
    expect(at("ValidatingAdmissionPolicyBinding")).toBeLessThan(at("Role"));
    expect(at("Namespace")).toBe(0);
  });

  it("runs no container as root or with capabilities", () => {
    for (const { spec } of everything.filter(({ kind }) => kind === "Deployment") as unknown as Workload[]) {
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
      for (const container of spec.template.spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(Object.keys(container)).toEqual(expect.arrayContaining(["livenessProbe", "readinessProbe"]));
      }
    }
  });

  it("limits the memory of the webhook, and the ports at which it is reached", () => {
    expect(
      everything.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "attune-webhook"),
    ).toMatchObject({ spec: { template: { spec: { containers: [{ resources: { limits: { memory: "512Mi" } } }] } } } });
    expect(everything.find(({ kind }) => kind === "NetworkPolicy")).toMatchObject({
      spec: {
        podSelector: { matchLabels: { "app.kubernetes.io/name": "attune-webhook" } },
        policyTypes: ["Ingress"],
        ingress: [{ ports: [{ port: "https" }, { port: "metrics" }] }],
      },
    });
  });
});

interface Monitored {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    selector: Record<string, string>;
    endpoints: { scheme?: string; tlsConfig?: { serverName: string; certFile: string } }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: { volumes: object[]; containers: { args: string[]; ports: object[] }[] };
    };
  };
}

interface Rules {
  spec: { groups: { rules: { alert?: string }[] }[] };
}

interface Workload {
  spec: { template: { spec: { securityContext: object; containers: { securityContext: object }[] } } };
}

onEachEmptyServer("attune install", (cluster) => {
  let admin: Client;
  beforeAll(() => {
    admin = clientFor(cluster.server);
  });
  const signal = new AbortController().signal;
  const fitting = everything.filter((object) => !isMonitoring(object));

  it("can be dry-run on an empty cluster", async () => {
    const reported: string[] = [];
    await applyManifests(admin, fitting, signal, { dryRun: true, onApplied: (_, what) => reported.push(what) });
    expect(reported).toEqual(fitting.map(() => "created"));
    expect((await admin.list(kinds.namespace)).items.map(({ metadata }) => metadata.name)).not.toContain(
      "attune-system",
    );
  });

  it("is accepted by kubectl with strict validation", async () => {
    const file = join(cluster.home, "attune.yaml");
    await writeFile(file, await printObjects(fitting, "yaml"));
    for (const dryRun of ["", " --dry-run=server"]) {
      const { code, err } = await cluster.kubectl.run(`apply --server-side --validate=strict${dryRun} -f ${file}`);
      expect([code, err]).toEqual([0, ""]);
    }
  });

  it("reports what it did, and the second time that nothing changed", async () => {
    const again = async (): Promise<string[]> => {
      const reported: string[] = [];
      await applyManifests(admin, fitting, signal, {
        onApplied: (object, what) => reported.push(`${name(object)} ${what}`),
      });
      return reported;
    };
    await again();
    expect(await again()).toEqual(fitting.map((object) => `${name(object)} unchanged`));
  });

  it("leaves objects of others unchanged", async () => {
    const [tuneds] = nodeTuningCrds;
    const unlabel = { metadata: { labels: { "app.kubernetes.io/managed-by": null } } };
    await admin.patch(kinds.customResourceDefinition, tuneds!.metadata.name ?? "", { type: "merge", patch: unlabel });
    const target = await readTarget(admin, everything, signal);
    expect(target).toEqual({
      monitoring: false,
      isOpenShift: false,
      admissionPolicies: true,
      machineConfigsAreOurs: true,
      foreign: new Set([name(tuneds!)]),
    });
    const { objects, notes } = forTarget(fitting, target);
    expect(notes).toEqual([`${name(tuneds!)}: left unchanged, it was not created by Attune`]);
    const names = new Set(objects.map(name));
    expect(fitting.map(name).filter((one) => !names.has(one))).toEqual([name(tuneds!)]);
  });

  it("includes monitoring where the cluster has the kinds", async () => {
    for (const [kind, plural] of [
      ["ServiceMonitor", "servicemonitors"],
      ["PrometheusRule", "prometheusrules"],
    ])
      await admin.create(kinds.customResourceDefinition, definition(kind!, plural!));
    await expect.poll(async () => (await readTarget(admin, everything, signal)).monitoring).toBe(true);
    await expect
      .poll(() => applyManifests(admin, everything.filter(isMonitoring), signal).then(() => "applied", String))
      .toBe("applied");
  });

  it("leaves CRDs of machine configuration unchanged that it did not install", async () => {
    for (const crd of machineConfigCrds) {
      const patch = { metadata: { labels: { "app.kubernetes.io/managed-by": null } } };
      await admin.patch(kinds.customResourceDefinition, crd.metadata.name ?? "", { type: "merge", patch });
    }
    const { machineConfigsAreOurs, foreign } = await readTarget(admin, installManifests(), signal);
    expect([machineConfigsAreOurs, machineConfigCrds.every((crd) => foreign.has(name(crd)))]).toEqual([false, true]);
  });
});

function definition(kind: string, plural: string): never {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: "monitoring.coreos.com",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  } as never;
}
