import { beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { agentDaemonSet } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation, type InstallOptions, installManifests } from "../../src/program/cli/install/manifests.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { onEachEmptyServer } from "../conformance/on-each-server.ts";
import { clientFor } from "../servers/client-for.ts";
import { type Components, type OpenApiSchema, schemaErrors } from "./schema-errors.ts";

const agents = agentDaemonSet(
  { namespace: tuningNamespace, image: "attune:1", serviceAccount: "default", release: "4.22" },
  undefined,
);
const ways: InstallOptions[] = (["auto", "standalone", "plain", "tuning"] as const).flatMap((mode) =>
  (["documented", "shipped"] as const).map((protocol) => ({ mode, protocol, agentExec: "none", release: "4.22" })),
);

interface Workload extends KubeObject {
  spec: { template: { metadata: object; spec: object } };
}

/** A pod as its controller would create it. */
function podOf({ metadata, spec: { template } }: Workload, namespace: string): string {
  const { metadata: more, spec } = template;
  const name = metadata.name ?? "";
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { ...more, name, namespace }, spec });
}

describe("a strict schema check", () => {
  const of: Components = { Name: { type: "string" } };
  const schema: OpenApiSchema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { allOf: [{ $ref: "#/components/schemas/Name" }] },
      port: { oneOf: [{ type: "integer" }, { type: "string" }] },
      labels: { type: "object", additionalProperties: { type: "string" } },
      list: { type: "array", items: { type: "integer" } },
      kind: { enum: ["A"] },
    },
  };
  it.each([
    [{ name: "a", port: "x", labels: { b: "c" }, list: [1], kind: "A" }, []],
    [{ name: 1 }, [".name: not of type string"]],
    [{}, [".name: missing"]],
    [{ name: "a", nmae: "b" }, [".nmae: unknown"]],
    [{ name: "a", port: [], list: [1, 1.5] }, [".port: matches no schema", ".list[1]: not of type integer"]],
    [{ name: "a", labels: { b: 1 }, kind: "B" }, [".labels.b: not of type string", '.kind: "B" is not allowed']],
  ])("of %j finds %j", (value, errors) => {
    expect(schemaErrors(value, schema, of)).toEqual(errors);
  });
});

onEachEmptyServer("what attune install prints", (cluster) => {
  beforeAll(async () => {
    // A dry run stores nothing, and so finds neither namespaces nor accounts of its own.
    const before = foundation().filter(({ kind }) => kind === "Namespace" || kind === "ServiceAccount");
    await applyManifests(clientFor(cluster.server), before);
  });

  it("matches the schemas that the server publishes, without fields that they do not have", async () => {
    const objects = [...ways.flatMap((way) => installManifests(way)), agents];
    const errors: string[] = [];
    for (const apiVersion of new Set(objects.map((object) => object.apiVersion))) {
      const path = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
      const { components } = JSON.parse(await cluster.kubectl.out(`get --raw /openapi/v3/${path}`)) as {
        components: { schemas: Record<string, OpenApiSchema & Kinds> };
      };
      for (const object of objects.filter((one) => one.apiVersion === apiVersion)) {
        const schema = Object.values(components.schemas).find((one) => isOf(one, object));
        const where = `${object.kind} ${object.metadata.name}`;
        const found = schema
          ? schemaErrors(JSON.parse(JSON.stringify(object)), schema, components.schemas)
          : ["no schema"];
        errors.push(...found.map((error) => `${where} ${error}`));
      }
    }
    expect(errors).toEqual([]);
  });

  it.each(ways)("is accepted with a dry run and strict validation: $mode, $protocol", async (way) => {
    const items = [...installManifests(way), agents];
    const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, err } = await cluster.kubectl.run("apply --server-side --validate=strict --dry-run=server -f -", {
      stdin,
    });
    expect([code, err]).toEqual([0, ""]);
  });

  it("has pods of operator and webhook that Pod Security admits as restricted", async () => {
    const { metadata } = await clientFor(cluster.server).get(kinds.namespace, systemNamespace);
    expect(metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
    const deployments = installManifests().filter(({ kind }) => kind === "Deployment") as Workload[];
    expect(deployments).toHaveLength(2);
    for (const deployment of deployments) {
      const stdin = podOf(deployment, systemNamespace);
      const { code, err } = await cluster.kubectl.run("create --dry-run=server -f -", { stdin });
      expect([code, err]).toEqual([0, ""]);
    }
  });

  it("has pods of agents that only a privileged namespace admits: they change the node", async () => {
    const create = (namespace: string): ReturnType<typeof cluster.kubectl.run> =>
      cluster.kubectl.run("create --dry-run=server -f -", { stdin: podOf(agents as Workload, namespace) });
    const theirs = await create(tuningNamespace);
    expect([theirs.code, theirs.err]).toEqual([0, ""]);
    const { err } = await create(systemNamespace);
    expect(err).toContain('violates PodSecurity "restricted:latest": ');
    for (const why of ["hostNetwork=true, hostPID=true", "securityContext.privileged=true", "runAsUser=0"])
      expect(err).toContain(why);
  });
});

interface Kinds {
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

function isOf(schema: Kinds, { apiVersion, kind }: KubeObject): boolean {
  return (
    schema["x-kubernetes-group-version-kind"]?.some(
      (one) => one.kind === kind && `${one.group ? `${one.group}/` : ""}${one.version}` === apiVersion,
    ) ?? false
  );
}
