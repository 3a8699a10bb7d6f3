import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { orderConfigMap, readOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { type Condition, findCondition } from "../../src/language/object/condition.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { type ServerUnderTest, serverVariants } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";
import { controlPlane, namespaceLike, poolNamespace } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });
const some = (name: string): object[] => [{ name }];
/** Two of them do not fit in a ConfigMap, one does. */
const large = 700_000;

const tuned = (name: string, text: string): string =>
  JSON.stringify({
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name },
    spec: { profile: [{ name, data: `[main]\nsummary=${text}\n` }] },
  });
const machineConfig = (name: string, text: string): string =>
  JSON.stringify({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name },
    spec: {
      config: {
        ignition: { version: "3.4.0" },
        storage: { files: [{ path: `/etc/${name}`, contents: { source: `data:,${text}` } }] },
      },
    },
  });

for (const variant of serverVariants())
  describe(`more than an API server stores, on the ${variant.name} server`, () => {
    let server: ServerUnderTest;
    let client: Client;
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      client = clientFor(server);
      for (const crd of nodePoolCrds) await client.create(kinds.customResourceDefinition, crd);
      await untilEstablished(client);
      for (const name of [poolNamespace, controlPlane]) await client.create(kinds.namespace, namespaceLike(name));
      const metadata = { name: "demo", ...users };
      await client.create(hostedClusterKind, { apiVersion, kind: "HostedCluster", metadata, spec: {} }, users);
      running = runManagement({ client, signal: stop.signal, image: "attune:test", leaderElection: false });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("Tuneds that are too large together keep the last ones, and are a condition", async () => {
      await give("small", { tuning: tuned("small", "a") });
      await nodePool("np1", { tuningConfig: some("small") });
      await until("np1", "ValidTuningConfig", ({ status }) => status === "True");
      for (const name of ["one", "two"]) await give(name, { tuning: tuned(name, "x".repeat(large)) });
      await refer("np1", { tuningConfig: ["one", "two"].flatMap(some) });
      const { message } = await until("np1", "ValidTuningConfig", (one) => one.message.includes("tuned-np1"));
      expect(message).toMatch(
        /^ConfigMap tuned-np1: cannot be written to the control plane namespace: it has 14\d{5} bytes, and an API server stores at most 1048576/,
      );
      // Also while only the NodePool is known, and not yet what it refers to.
      expect((await copy("tuned-np1")).data?.["tuned"]?.endsWith("name: small\n")).toBe(true);
      await refer("np1", { tuningConfig: some("two") });
      await until("np1", "ValidTuningConfig", ({ status }) => status === "True");
      expect((await copy("tuned-np1")).data?.["tuned"]?.endsWith("name: two\n")).toBe(true);
    });

    it.each([
      ["np2", "that stay large when compressed", (): string => randomBytes(382_500).toString("base64"), "compressed "],
      ["np3", "that are larger than an object of a hosted cluster", (): string => "x".repeat(large), ""],
    ])(
      "%s: MachineConfigs %s are a condition, and the rest of the NodePool goes on",
      async (np, _, text, compressed) => {
        const names = [`${np}-1`, `${np}-2`];
        await give(`${np}-small`, { config: machineConfig("small", "a") });
        await nodePool(np, { config: some(`${np}-small`) });
        const before = await ordered(np);
        for (const name of names) await give(name, { config: machineConfig(name, text()) });
        await refer(np, { config: names.flatMap(some) });
        const { reason, message } = await until(np, "ValidGeneratedPayload", ({ status }) => status === "False");
        expect(reason).toBe("PayloadTooLarge");
        expect(message).toMatch(
          new RegExp(`^the ${compressed}configuration has \\d{7} \\w+, at most \\d+ can be stored`),
        );
        // Not the configuration.
        await refer(np, { management: { upgradeType: "InPlace", inPlace: { maxUnavailable: 3 } } });
        await eventually("the order has it", async () => (await ordered(np)).maxUnavailable === 3);
        expect((await ordered(np)).target).toEqual(before.target);
        await refer(np, { config: some(`${np}-small`) });
        await until(np, "ValidGeneratedPayload", ({ status }) => status === "True");
      },
    );

    const give = async (name: string, data: Record<string, string>): Promise<unknown> =>
      client.create(
        kinds.configMap,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...users }, data },
        users,
      );

    const nodePool = async (name: string, spec: object): Promise<unknown> => {
      const management = { upgradeType: "InPlace" as const };
      const metadata = { name, ...users };
      const whole = { clusterName: "demo", management, ...spec };
      return client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata, spec: whole }, users);
    };

    const refer = async (name: string, spec: object): Promise<unknown> =>
      client.patch(nodePoolKind, name, merge({ spec }), users);

    const copy = async (name: string) => client.get(kinds.configMap, name, { namespace: controlPlane });

    const ordered = async (name: string) =>
      eventually(`an order for ${name}`, async () => {
        const read = readOrder(await copy(orderConfigMap(name)));
        return read.type === "read" && read.value;
      });

    const until = async (name: string, type: string, holds: (condition: Condition) => boolean): Promise<Condition> =>
      eventually(`${type} of ${name}`, async () => {
        const { status } = await client.get(nodePoolKind, name, users);
        const found = findCondition(status?.conditions, type);
        return found && holds(found) && found;
      });
  });
