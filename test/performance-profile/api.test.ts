import { afterAll, beforeAll, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { at } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { performanceProfileCrds } from "../../src/domain/performance-profile/crds.ts";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { conversionAnnotation } from "../../src/domain/performance-profile/conversion/conversion-data.ts";
import { attuneHandlers } from "../../src/program/webhook/attune-handlers.ts";
import { webhookSecret, webhookServiceAccount } from "../../src/program/webhook/rbac.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { onEachEmptyServer } from "../conformance/on-each-server.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { growingPause, untilEstablished } from "../servers/until.ts";

const group = "performance.openshift.io";
const resource = (version: string): string => `performanceprofiles.${version}.${group}`;
const role = (name: string): Record<string, string> => ({ [`node-role.kubernetes.io/${name}`]: "" });

function profile(version: string, name: string, spec: object): KubeObject {
  return {
    apiVersion: `${group}/${version}`,
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { nodeSelector: role(name), ...spec },
  };
}

const unconverted = /webhook of Attune, which converts older versions, has not registered yet: .*use performance.*\/v2/;

const storedInV1 =
  /has not registered yet: retry\. The profile may be stored in an older version, and would lose fields/;

/** Four CPUs, all of them in pools. */
const cpu = { reserved: "0-1", isolated: "2-3" };

onEachEmptyServer("performance profiles", (cluster) => {
  let admin: Client;
  let running: { stop: () => Promise<void> };

  beforeAll(async () => {
    admin = clientFor(cluster.server);
    await storeOneInV1();
    await applyManifests(admin, foundation({ mode: "standalone" }));
    await untilEstablished(admin);
  });

  afterAll(async () => {
    await running?.stop();
  });

  /** As a cluster may have it before Attune: without conversion, and with v1 as the newest version. */
  async function storeOneInV1(): Promise<void> {
    const [definition] = structuredClone(performanceProfileCrds);
    const versions = at(definition, "spec", "versions") as { name: string; storage: boolean; served: boolean }[];
    for (const version of versions) version.storage = version.served = version.name === "v1";
    await applyManifests(admin, [definition!]);
    await untilEstablished(admin);
    const v1 = { ...performanceProfileKind, apiVersion: `${group}/v1` };
    const make = (): Promise<unknown> => admin.create(v1, profile("v1", "legacy", { cpu }));
    for (const pause = growingPause(); ; await pause())
      if (
        await make().then(
          () => true,
          (error: unknown) => !isNotFound(error) && Promise.reject(error),
        )
      )
        break;
    const finalized = profile("v1", "finalized", { cpu });
    await admin.create(v1, { ...finalized, metadata: { name: "finalized", finalizers: ["example.com/mine"] } });
  }

  async function startWebhook(): Promise<{ stop: () => Promise<void> }> {
    const client = await clientOfAccount(cluster.server, systemNamespace, webhookServiceAccount);
    const end = new AbortController();
    let run: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      run = runWebhook({
        client,
        signal: end.signal,
        ...attuneHandlers(client, { namespace: systemNamespace }),
        host: "127.0.0.1",
        port: 0,
        target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
        secret: { namespace: systemNamespace, name: webhookSecret },
        onReady: () => resolve(),
      });
      run.catch(reject);
    });
    // A webhook configuration and a definition take effect a little after they are written.
    const refused = profile("v1", "nobody", { cpu: { reserved: "0", isolated: "0" } });
    for (const pause = growingPause(); ; await pause())
      if ((await cluster.kubectl.run("create --dry-run=server -f -", { stdin: text(refused) })).err.includes("invalid"))
        break;
    return {
      async stop() {
        end.abort();
        await run;
      },
    };
  }

  const text = (object: KubeObject): string => JSON.stringify(object);
  const apply = (object: KubeObject): Promise<string> => cluster.kubectl.out("apply -f -", { stdin: text(object) });
  const read = async (version: string, name: string): Promise<KubeObject> =>
    (await cluster.kubectl.json(`get ${resource(version)} ${name}`)) as KubeObject;
  const specOf = async (version: string, name: string): Promise<unknown> => (await read(version, name))["spec"];
  const patch = (version: string, name: string, change: object): Promise<string> =>
    cluster.kubectl.out(`patch ${resource(version)} ${name} --type=merge -p '${JSON.stringify(change)}'`);

  /** A node of a role, with four CPUs in the report of its agent. */
  async function node(name: string, cores: readonly string[]): Promise<void> {
    await admin.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: role(name) },
      status: { capacity: { cpu: String(cores.length) }, nodeInfo: { architecture: "amd64" } as never },
    });
    const metadata = { name, namespace: tuningNamespace };
    const spec = { config: { tunedProfile: "p" } };
    const { apiVersion, kind } = profileKind;
    await admin.create(profileKind, { apiVersion, kind, metadata, spec }, { namespace: tuningNamespace });
    await hardware(name, cores);
  }

  async function hardware(name: string, cores: readonly string[]): Promise<void> {
    const status = { tunedProfile: "p", hardware: { offline: "", numaNodes: [{ id: 0, cores: [...cores] }] } };
    await admin.patch(
      profileKind,
      name,
      { type: "merge", patch: { status } },
      { namespace: tuningNamespace, subresource: "status" },
    );
  }

  it("are rejected in older versions, and only there, until the webhook converts them", async () => {
    await apply(profile("v2", "early", { cpu }));
    for (const version of ["v1", "v1alpha1"]) {
      const stdin = text(profile(version, "old", { cpu }));
      // An admission policy takes effect a little after it is written.
      for (const pause = growingPause(); ; await pause())
        if ((await cluster.kubectl.run("create --dry-run=server -f -", { stdin })).code !== 0) break;
      await cluster.kubectl.refuses("create -f -", unconverted, { stdin });
      for (const subresource of ["", "--subresource=status"])
        await cluster.kubectl.refuses(
          `patch ${resource(version)} early ${subresource} --type=merge -p '{"status":{"tuned":"t"}}'`,
          unconverted,
        );
    }
    await cluster.kubectl.refuses(`get ${resource("v2")} old`, /not found/);
    expect(await specOf("v2", "early")).toMatchObject({ cpu, kernelPageSize: "4k" });
    // The API server reads a profile that is stored in v1 unconverted, and any write in v2 would store it so.
    expect(await specOf("v2", "legacy")).toEqual({ cpu, nodeSelector: role("legacy") });
    for (const change of ['{"spec":{"cpu":{"shared":"4"}}}', '{"metadata":{"labels":{"x":"y"}}}'])
      await cluster.kubectl.refuses(`patch ${resource("v2")} legacy --type=merge -p '${change}'`, storedInV1);
    await cluster.kubectl.refuses(
      `patch ${resource("v2")} legacy --subresource=status --type=merge -p '{"status":{"tuned":"t"}}'`,
      storedInV1,
    );
    // Finalizers can be removed all the same.
    await cluster.kubectl.out(`delete ${resource("v2")} finalized --wait=false`);
    await patch("v2", "finalized", { metadata: { finalizers: null } });
    await cluster.kubectl.refuses(`get ${resource("v2")} finalized`, /not found/);
    running = await startWebhook();
    expect(await specOf("v2", "legacy")).toEqual({ cpu, nodeSelector: role("legacy"), ...irq(true) });
    expect(await specOf("v1", "early")).toEqual({ cpu, nodeSelector: role("early"), ...irq(false) });
  });

  const irq = (banned: boolean): object => ({ globallyDisableIrqLoadBalancing: banned });

  it("lose nothing when they are created in one version, changed in another and read in a third", async () => {
    await apply(profile("v1", "a", { cpu: { ...cpu, offlined: "4" }, workloadHints: { highPowerConsumption: true } }));
    const inV2 = { ...cpu, offlined: "4" };
    expect(await specOf("v2", "a")).toMatchObject({
      cpu: inV2,
      workloadHints: { highPowerConsumption: true, realTime: true },
      ...irq(true),
    });
    expect(await specOf("v1", "a")).not.toHaveProperty("globallyDisableIrqLoadBalancing");
    await patch("v2", "a", { spec: { cpu: { shared: "5" }, workloadHints: { mixedCpus: true }, ...irq(false) } });
    await patch("v1alpha1", "a", { spec: { realTimeKernel: { enabled: true } }, metadata: { labels: { x: "y" } } });
    const changed = await read("v2", "a");
    expect(changed["spec"]).toEqual({
      cpu: { ...inV2, shared: "5" },
      nodeSelector: role("a"),
      realTimeKernel: { enabled: true },
      kernelPageSize: "4k",
      workloadHints: { highPowerConsumption: true, realTime: true, mixedCpus: true },
      ...irq(false),
    });
    expect(changed.metadata.labels).toEqual({ x: "y" });
    expect(changed.metadata.annotations ?? {}).not.toHaveProperty([conversionAnnotation]);
  });

  it("have the fields of v1 after they are applied again in v1, and keep the rest", async () => {
    const mine = profile("v1", "b", { cpu, numa: { topologyPolicy: "restricted" } });
    await apply(mine);
    await patch("v2", "b", { spec: { kernelPageSize: "64k", cpu: { shared: "4" } } });
    await apply({ ...mine, spec: { ...(mine["spec"] as object), numa: { topologyPolicy: "best-effort" } } });
    expect(await specOf("v2", "b")).toMatchObject({
      cpu: { ...cpu, shared: "4" },
      kernelPageSize: "64k",
      numa: { topologyPolicy: "best-effort" },
    });
    const before = await read("v2", "b");
    await apply({ ...mine, spec: { ...(mine["spec"] as object), numa: { topologyPolicy: "best-effort" } } });
    expect((await read("v2", "b")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("are applied by servers in an older version, each field with its owner", async () => {
    const server = (object: KubeObject, manager: string): Promise<string> =>
      cluster.kubectl.out(`apply --server-side --field-manager=${manager} -f -`, { stdin: text(object) });
    await server(profile("v1", "c", { cpu, additionalKernelArgs: ["a"] }), "old");
    await server(profile("v2", "c", { kernelPageSize: "64k", cpu }), "new");
    await server(profile("v1", "c", { cpu }), "old");
    expect(await specOf("v2", "c")).toEqual({
      cpu,
      nodeSelector: role("c"),
      kernelPageSize: "64k",
      ...irq(true),
    });
  });

  it("with errors are rejected, with all errors at once", async () => {
    await node("d", ["0/0:0-1", "0/1:2-3"]);
    const wrong = { cpu: { reserved: "0-1", isolated: "1-9" }, numa: { topologyPolicy: "all" } };
    for (const version of ["v2", "v1", "v1alpha1"]) {
      const untilSeen = growingPause();
      for (;;) {
        const { code, err } = await cluster.kubectl.run("apply -f -", { stdin: text(profile(version, "d", wrong)) });
        expect(code).toBe(1);
        expect(err).toMatch(/The PerformanceProfile "d" is invalid: ?\n/);
        expect(err).toContain("* spec.numa.topologyPolicy: ");
        expect(err).toMatch(/\* spec\.cpu.*\b1\b/);
        if (version !== "v2") expect(err).toContain(conversionAnnotation);
        // The webhook may not know the node yet.
        if (/\* spec\.cpu.*4-9/.test(err)) break;
        await untilSeen();
      }
    }
    await cluster.kubectl.refuses(`get ${resource("v2")} d`, /not found/);
  });

  it("with warnings are accepted", async () => {
    const { code, err } = await cluster.kubectl.run("apply -f -", {
      stdin: text(profile("v2", "e", { cpu, additionalKernelArgs: ["isolcpus=1"] })),
    });
    expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: spec\.additionalKernelArgs/m)]);
    const old = await cluster.kubectl.run("apply -f -", { stdin: text(profile("v1", "f", { cpu })) });
    expect([old.code, old.err]).toEqual([0, expect.stringMatching(/^Warning: .*v1 PerformanceProfile is deprecated/m)]);
  });

  it("that became invalid with a change of their node can be labelled, fixed and deleted, but not made worse", async () => {
    await node("g", ["0/0:0-1", "0/1:2-3"]);
    const valid = profile("v2", "g", { cpu });
    await apply(valid);
    await hardware("g", ["0/0:0-1"]);
    const worse = { spec: { cpu: { isolated: "2-4" } } };
    const isRefused = async (): Promise<boolean> =>
      (
        await cluster.kubectl.run(
          `patch ${resource("v2")} g --type=merge -p '${JSON.stringify(worse)}' --dry-run=server`,
        )
      ).code !== 0;
    for (const pause = growingPause(); !(await isRefused());) await pause();
    await cluster.kubectl.out(`label ${resource("v2")} g a=b`);
    await patch("v2", "g", { spec: { realTimeKernel: { enabled: true } } });
    await patch("v2", "g", { spec: { cpu: { reserved: "0", isolated: "1" } } });
    await cluster.kubectl.out(`delete ${resource("v2")} g`);
  });

  it("are explained and listed", async () => {
    await cluster.kubectl.prints(
      "explain performanceprofiles.spec.cpu.reserved",
      /FIELD: reserved <string>[^]*CPUs of the system/,
    );
    await cluster.kubectl.prints(
      `explain performanceprofiles.spec.cpu.reserved --api-version=${group}/v1`,
      /VERSION: +v1/,
    );
    await cluster.kubectl.prints(
      "get performanceprofiles b",
      /^NAME +RESERVED +ISOLATED +AVAILABLE +PROGRESSING +DEGRADED +AGE\nb +0-1 +2-3 .*$/,
    );
  });

  it("that were stored in an older version are read, and stored in the newest with their next change", async () => {
    expect(await specOf("v2", "legacy")).toEqual({ cpu, nodeSelector: role("legacy"), ...irq(true) });
    await patch("v2", "legacy", { spec: { cpu: { shared: "4" } } });
    expect(await specOf("v1", "legacy")).toEqual({ cpu, nodeSelector: role("legacy") });
    expect(await specOf("v2", "legacy")).toMatchObject({ cpu: { ...cpu, shared: "4" } });
  });

  it("of the same nodes are refused, in whatever version the first is stored", async () => {
    const twin = { ...profile("v2", "legacy", { cpu }), metadata: { name: "twin" } };
    const isRefused = async (): Promise<boolean> =>
      (await cluster.kubectl.run("create --dry-run=server -f -", { stdin: text(twin) })).err.includes("legacy");
    for (const pause = growingPause(); !(await isRefused());) await pause();
  });

  it("can be written without the webhook", async () => {
    const [inV1, inV2] = [await read("v1", "a"), await read("v2", "a")];
    await running.stop();
    expect(await read("v2", "a")).toEqual(inV2);
    running = await startWebhook();
    expect(await read("v1", "a")).toEqual(inV1);
  });
});
