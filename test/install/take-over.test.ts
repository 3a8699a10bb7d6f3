import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { type ClusterVersion, clusterVersionKind } from "../../src/program/cli/take-over/steps.ts";
import { takeOverOn } from "../../src/program/cli/take-over/take-over.ts";
import { kubectlPath } from "../conformance/kubectl.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const namespace = "attune-system";
const other = "cluster-node-tuning-operator";
const overridden = { kind: "Deployment", group: "apps", namespace: tuningNamespace, name: other, unmanaged: true };
/** Of another team. */
const theirs = { ...overridden, namespace: "elsewhere", name: "theirs" };

let server: ServerUnderTest;
let admin: HttpClient;

beforeAll(async () => {
  server = await startEmbeddedServer();
  admin = clientFor(server);
  await admin.create(kinds.customResourceDefinition, definition);
  for (const name of [namespace, tuningNamespace])
    await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await eventually("the kind is served", async () =>
    isTrue(
      (await admin.get(kinds.customResourceDefinition, definition.metadata.name)).status?.conditions,
      "Established",
    ),
  );
});
afterAll(() => server.close());

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusterversions.config.openshift.io" },
  spec: {
    group: "config.openshift.io",
    scope: "Cluster",
    names: { kind: "ClusterVersion", plural: "clusterversions", singular: "clusterversion" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

async function deploy(name: string, namespace: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "operator", image: "x" }] } };
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await admin.patch(
    kinds.deployment,
    name,
    { type: "apply", object: { ...object, spec }, force: true },
    {
      namespace,
      fieldManager: "test",
    },
  );
}

const replicasOf = async (name: string, namespace: string): Promise<number | undefined> =>
  (await admin.get(kinds.deployment, name, { namespace })).spec?.replicas;
const state = async (): Promise<unknown[]> => [
  (await admin.get(clusterVersionKind, "version")).spec,
  await replicasOf(other, tuningNamespace),
  await replicasOf("attune-operator", namespace),
];

async function clusterVersion(spec: ClusterVersion["spec"]): Promise<void> {
  await admin.delete(clusterVersionKind, "version").catch(() => undefined);
  const { apiVersion, kind } = clusterVersionKind;
  await admin.create(clusterVersionKind, {
    apiVersion,
    kind,
    metadata: { name: "version" },
    ...(spec ? { spec } : {}),
  });
}

/** What the version operator does every few minutes: the Deployment as the release has it, unless it is overridden. */
async function versionOperator(): Promise<void> {
  const { spec } = await admin.get(clusterVersionKind, "version");
  if (spec?.overrides?.some(({ name, unmanaged }) => name === other && unmanaged)) return;
  await deploy(other, tuningNamespace, 1);
}

async function run(options: { apply?: boolean; undo?: boolean }): Promise<string> {
  const terminal = new RecordingTerminal();
  const { signal } = new AbortController();
  await takeOverOn(admin, { apply: false, undo: false, namespace, ...options }, { terminal, signal });
  return terminal.stdout;
}

/** Asynchronous: the server runs in this process. */
const shell = (script: string): Promise<unknown> =>
  promisify(execFile)("sh", ["-ec", script], { env: { ...process.env, KUBECONFIG: server.kubeconfig } });

describe("on OpenShift", () => {
  const before = { channel: "stable", overrides: [theirs] };
  beforeEach(async () => {
    await deploy(other, tuningNamespace, 1);
    await deploy("attune-operator", namespace, 2);
    await clusterVersion(before);
  });

  it("scaling the other operator to zero is undone, unless Attune has taken over", async () => {
    await deploy(other, tuningNamespace, 0);
    await versionOperator();
    expect(await replicasOf(other, tuningNamespace)).toBe(1);
    await run({ apply: true });
    await versionOperator();
    expect(await state()).toEqual([{ ...before, overrides: [theirs, overridden] }, 0, 2]);
  });

  it("nothing changes without --apply", async () => {
    const found = await state();
    await run({});
    await run({ undo: true });
    expect(await state()).toEqual(found);
  });

  it.runIf(kubectlPath)("the printed commands do what --apply does, both ways", async () => {
    const found = await state();
    await shell(await run({}));
    expect(await state()).toEqual([{ ...before, overrides: [theirs, overridden] }, 0, 2]);
    await shell(await run({ undo: true }));
    expect(await state()).toEqual([found[0], 1, 0]);
  });

  it("handing back restores the ClusterVersion, and taking over again starts Attune again", async () => {
    const [version] = await state();
    await run({ apply: true });
    await run({ apply: true, undo: true });
    expect(await state()).toEqual([version, 1, 0]);
    await run({ apply: true });
    expect((await state()).slice(1)).toEqual([0, 2]);
  });

  it("a second run has nothing to do", async () => {
    expect(await run({ undo: true, apply: true })).toContain("attune-operator changed");
    expect(await run({ undo: true, apply: true })).toBe("nothing to do: Attune has not taken over\n");
    await run({ apply: true });
    expect(await run({ apply: true })).toBe("nothing to do: Attune has taken over\n");
  });

  it.each([
    ["no overrides", undefined, [overridden]],
    ["an empty list", { overrides: [] }, [overridden]],
    ["null", { overrides: null }, [overridden]],
    ["an entry that is off", { overrides: [{ ...overridden, unmanaged: false }, theirs] }, [overridden, theirs]],
  ])("a ClusterVersion with %s gets the override", async (_, spec, overrides) => {
    // An object without spec has no place for a patch: the version operator always writes one.
    await clusterVersion({ channel: "stable", ...spec });
    await run({ apply: true });
    expect((await admin.get(clusterVersionKind, "version")).spec).toEqual({ channel: "stable", overrides });
    await run({ apply: true, undo: true });
    const left = overrides.filter((one) => one !== overridden);
    expect((await admin.get(clusterVersionKind, "version")).spec).toEqual({
      channel: "stable",
      ...(left.length > 0 ? { overrides: left } : {}),
    });
  });

  it.runIf(kubectlPath)("commands that were printed before others changed the overrides change nothing", async () => {
    const script = await run({});
    await clusterVersion({ overrides: [{ ...theirs, name: "more" }, theirs] });
    const found = await state();
    await expect(shell(script)).rejects.toMatchObject({ stderr: expect.stringMatching(/^The request is invalid/) });
    expect(await state()).toEqual(found);
  });
});

it("elsewhere the other operator is only scaled", async () => {
  await admin.delete(clusterVersionKind, "version");
  await deploy(other, tuningNamespace, 1);
  await deploy("attune-operator", namespace, 2);
  await run({ apply: true });
  expect(await replicasOf(other, tuningNamespace)).toBe(0);
});

it("Attune must be installed before it takes over", async () => {
  const terminal = new RecordingTerminal();
  const { signal } = new AbortController();
  const options = { apply: true, undo: false, namespace: "nowhere" };
  await expect(takeOverOn(admin, options, { terminal, signal })).rejects.toThrow(
    "there is no Deployment nowhere/attune-operator; install Attune first",
  );
});

describe("without the other operator", () => {
  beforeEach(async () => {
    await admin.delete(kinds.deployment, other, { namespace: tuningNamespace }).catch(() => undefined);
    await deploy("attune-operator", namespace, 2);
  });

  it.each([true, false])("handing back is refused, with apply %s: no operator would be left", async (apply) => {
    await expect(run({ undo: true, apply })).rejects.toThrow(
      "hand back: there is no Deployment openshift-cluster-node-tuning-operator/cluster-node-tuning-operator that could " +
        "take over from Attune; to stop Attune, delete what attune install prints",
    );
    expect(await replicasOf("attune-operator", namespace)).toBe(2);
  });

  it("there is nothing to take over", async () => {
    expect(await run({})).toBe("nothing to do: Attune runs, and there is no other operator\n");
  });

  it("Attune is started where it was stopped", async () => {
    await deploy("attune-operator", namespace, 0);
    await run({ apply: true });
    expect(await replicasOf("attune-operator", namespace)).toBe(2);
  });
});
