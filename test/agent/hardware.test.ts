import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runAgent } from "../../src/program/agent/agent.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import type { MemoryHost } from "../../src/node/host/memory-host.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { machine } from "../../src/embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { apiVersion, type Profile, profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { clone } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { until } from "../node-tuning/eventually.ts";

const namespace = tuningNamespace;
const cpus = "/sys/devices/system/cpu";
const topology = { ...smallMachine, architecture: "arm64", cpus: 8, sockets: 2, threadsPerCore: 2 } as const;
const base = machineBase(topology);

let dir: string;
let server: ApiServer;
let admin: HttpClient;
let host: MemoryHost;
/** Requests of the agent that change something. */
let writes: string[];
let end = async (): Promise<void> => {};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-hardware-"));
  server = await startServer({ dir, storage: "memory" });
  admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  host = machine(base);
  writes = [];
});

afterEach(async () => {
  await end();
  admin.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function install(crds: readonly KubeObject[]): Promise<void> {
  for (const crd of crds) await admin.create<KubeObject>(kinds.customResourceDefinition, crd);
  await admin.create<KubeObject>(kinds.namespace, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await until(async () => {
    const crd = await admin.get(kinds.customResourceDefinition, "profiles.tuned.openshift.io");
    return isTrue(crd.status?.conditions, "Established");
  });
  await admin.create(profileKind, {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", namespace },
    spec: { config: { tunedProfile: "openshift-node" } },
  });
}

async function start(): Promise<void> {
  await end();
  const stop = new AbortController();
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }), {
    onRequest: ({ method }) => void (method === "GET" || writes.push(method)),
  });
  const done = runAgent({ client, node: "n", host, signal: stop.signal }).finally(() => client.close());
  end = async () => {
    stop.abort();
    await done;
  };
}

const stored = (): Promise<Profile> => admin.get(profileKind, "n", { namespace });

/** Edits the Profile and waits for the agent to report it: all earlier work of the agent is done by then. */
async function edited(verbosity: number): Promise<Profile> {
  const patch = { spec: { config: { verbosity } } };
  const { metadata } = await admin.patch(profileKind, "n", { type: "merge", patch }, { namespace });
  return reported(metadata.generation);
}

async function reported(generation: number | undefined): Promise<Profile> {
  let profile = await stored();
  await until(async () => {
    profile = await stored();
    return profile.status?.observedGeneration === generation;
  });
  return profile;
}

/** Other clients may see a write before the agent gets its answer, which counts it. */
async function written(times: number): Promise<void> {
  await until(async () => writes.length >= times);
  expect(writes).toHaveLength(times);
}

describe("the agent of a virtual node", () => {
  test("reports the hardware of its machine once", async () => {
    await install(nodeTuningCrds);
    await start();
    const first = await reported(1);
    expect(first.status?.hardware).toEqual({
      architecture: "arm64",
      caches: [
        { level: 3, size: "32768Ki", cpus: "0-1,4-5" },
        { level: 3, size: "32768Ki", cpus: "2-3,6-7" },
      ],
      memory: "8388608Ki",
      numaNodes: [
        { id: 0, memory: "4194304Ki", cores: ["0/0:0,4", "0/1:1,5"] },
        { id: 1, memory: "4194304Ki", cores: ["1/0:2,6", "1/1:3,7"] },
      ],
      offline: "",
    });
    await written(1);
    await start();
    const second = await edited(1);
    expect(second.status?.hardware).toEqual(first.status?.hardware);
    // The second agent had nothing to report but the generation.
    await written(2);
  });

  test("reports CPUs that went offline", async () => {
    await install(nodeTuningCrds);
    await start();
    await reported(1);
    host.put(`${cpus}/online`, "0-6\n");
    host.put(`${cpus}/cpu7/online`, "0\n");
    const { status } = await edited(1);
    expect(status?.hardware).toMatchObject({ offline: "7", numaNodes: [{}, { cores: ["1/0:2,6", "1/1:3"] }] });
    await written(2);
  });

  test("does not send it again where the CRD of Profiles has no hardware", async () => {
    await install(nodeTuningCrds.map((crd) => without(crd, "status", "hardware")));
    await start();
    await reported(1);
    // One write with the generation, and one that showed that the server drops the hardware.
    await written(2);
    for (const verbosity of [1, 2, 3]) expect((await edited(verbosity)).status).not.toHaveProperty("hardware");
    await written(5);
  });

  test("still reports it where the CRD of Profiles has hardware without caches", async () => {
    await install(nodeTuningCrds.map((crd) => without(crd, "status", "hardware", "caches")));
    await start();
    await reported(1);
    await written(2);
    for (const verbosity of [1, 2]) {
      const { hardware } = (await edited(verbosity)).status ?? {};
      expect(hardware).toMatchObject({ architecture: "arm64", numaNodes: [{ id: 0 }, { id: 1 }] });
      expect(hardware).not.toHaveProperty("caches");
    }
    await written(4);
  });
});

/** The definition as of a version that did not have the field. */
function without(crd: KubeObject, ...path: string[]): KubeObject {
  const older = clone(crd);
  const spec = older["spec"] as { versions: { schema: { openAPIV3Schema: Part } }[] };
  let part: Part | undefined = spec.versions[0]?.schema.openAPIV3Schema;
  for (const name of path.slice(0, -1)) part = part?.properties?.[name];
  delete part?.properties?.[path.at(-1) ?? ""];
  return older;
}

interface Part {
  properties?: Record<string, Part>;
}
