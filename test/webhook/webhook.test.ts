import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { at } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import type { Handlers } from "../../src/program/webhook/handler.ts";
import { webhookRbac, webhookSecret } from "../../src/program/webhook/rbac.ts";
import { configurationName } from "../../src/program/webhook/registration.ts";
import { runWebhook } from "../../src/program/webhook/webhook.ts";
import { clientFor, clientOfAccount } from "../servers/client-for.ts";
import { growingPause } from "../servers/until.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";
import { widgets } from "./widgets.ts";

const namespace = "hooks";
const minute = 60_000;
/** Short, so that the test can move the clock through several of them. Certificates are valid from five minutes before. */
const lives = { authorityMs: 4 * minute, servingMs: 2 * minute, settleMs: 30_000 };

const configMaps = {
  rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE", "UPDATE"] }],
  entries: [{ failurePolicy: "Fail" }],
  namespaceSelector: { matchLabels: { hooked: "yes" } },
} as const;

const handlers: Handlers = {
  admission: [
    {
      name: "mark",
      type: "mutating",
      ...configMaps,
      review: ({ object }) => ({
        type: "allow",
        ...(object ? { object: { ...object, data: { ...(object["data"] as object), marked: "yes" } } } : {}),
      }),
    },
    {
      name: "judge",
      type: "validating",
      ...configMaps,
      review: ({ object }) =>
        (object?.["data"] as { bad?: string } | undefined)?.bad
          ? { type: "deny", message: "data.bad is not wanted", code: 422, reason: "Invalid" }
          : { type: "allow" },
    },
  ],
  conversion: [widgets.handler],
};

const registered = {
  admission: handlers.admission.map(({ type }) => type),
  definitions: handlers.conversion.map(({ definition }) => definition),
};

for (const variant of emptyServers())
  describe(`the webhook, on the ${variant.name} server`, () => {
    let server: ServerUnderTest;
    let admin: Client;
    let account: Client;
    const clock = new VirtualClock(Date.now());
    const stop = new AbortController();
    let running: Promise<void>;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      for (const metadata of [{ name: namespace, labels: { hooked: "yes" } }, { name: tuningNamespace }])
        await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata });
      await applyManifests(admin, [...webhookRbac({ namespace, registered }), widgets.definition]);
      account = await clientOfAccount(server, namespace, "attune-webhook");
      await new Promise<void>((resolve, reject) => {
        running = runWebhook({
          client: account,
          signal: stop.signal,
          handlers,
          host: "127.0.0.1",
          port: 0,
          target: (port) => ({ type: "url", base: `https://127.0.0.1:${port}` }),
          secret: { namespace, name: webhookSecret },
          lives,
          clock,
          onReady: () => resolve(),
        });
        running.catch(reject);
      });
    });

    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    const configMap = (name: string, data: Record<string, string>): KubeObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace },
      data,
    });
    const write = (name: string, data: Record<string, string>, dryRun = false): Promise<KubeObject> =>
      admin.create(kinds.configMap as never, configMap(name, data) as never, { namespace, dryRun });

    /** API servers read a configuration a little after it was written. */
    async function untilMarked(name: string): Promise<void> {
      for (const pause = growingPause(); ; await pause()) {
        const { data } = (await write(name, {}, true)) as { data?: { marked?: string } };
        if (data?.marked === "yes") return;
      }
    }

    test("mutates objects", async () => {
      await untilMarked("ready");
      expect(await write("a", { x: "1" })).toMatchObject({ data: { x: "1", marked: "yes" } });
      expect(await write("b", { x: "1" }, true)).toMatchObject({ data: { marked: "yes" } });
    });

    test("denies objects with a reason", async () => {
      await untilMarked("ready");
      await expect(write("bad", { bad: "1" })).rejects.toMatchObject({
        code: 422,
        message: expect.stringContaining(
          'admission webhook "judge.attune.dev" denied the request: data.bad is not wanted',
        ) as string,
      });
    });

    test("converts custom objects between their versions", async () => {
      await admin.create(widgets.v1, widgets.object("w", { size: 3 }), { namespace });
      const converted = async (): Promise<KubeObject> => admin.get(widgets.v2, "w", { namespace });
      // Until the API server has read the configuration it returns the object as it is stored.
      for (const pause = growingPause(); !(await converted())["spec"];) await pause();
      expect(await converted()).toMatchObject({ apiVersion: "example.com/v2", spec: { dimensions: { size: 3 } } });
    });

    test("restores its configuration when another client changes it", async () => {
      await untilMarked("ready");
      const kind = kinds.mutatingWebhookConfiguration;
      await admin.patch(kind, configurationName, {
        type: "json",
        operations: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }],
      });
      for (const pause = growingPause(); ; await pause()) {
        const found = await admin.get(kind, configurationName);
        if (found.webhooks?.[0]?.clientConfig.caBundle) break;
      }
    });

    test("rotates its certificates and its authority, and no write fails meanwhile", async () => {
      await untilMarked("ready");
      const secret = async (): Promise<Record<string, string>> =>
        (await admin.get(kinds.secret, webhookSecret, { namespace })).data ?? {};
      const { "ca.crt": first } = await secret();
      const served = new Set<string | undefined>();
      const settled = ({ "ca.crt": bundle = "" }: Record<string, string>): boolean =>
        Buffer.from(bundle, "base64").toString().split("BEGIN CERTIFICATE").length === 2 && bundle !== first;
      for (let steps = 0, now = await secret(); !settled(now); steps++, now = await secret()) {
        served.add(now["tls.crt"]);
        if (steps < 60) await clock.advance(10_000);
        await read(steps);
        expect(await write(`w-${steps}`, {})).toMatchObject({ data: { marked: "yes" } });
      }
      served.add((await secret())["tls.crt"]);
      // The first one, one that the old authority renewed, and one of the new authority.
      expect(served.size).toBeGreaterThanOrEqual(3);
    });

    /**
     * Returns when the API server has read the configurations as they are now: it reads all of a kind in order, and
     * refuses what a new webhook that does not answer is registered for.
     */
    async function read(step: number): Promise<void> {
      for (const kind of [kinds.mutatingWebhookConfiguration, kinds.validatingWebhookConfiguration]) {
        const label = `${kind.kind}-${step}`;
        await admin.create(kind as never, unanswered(kind, label) as never);
        const marked = { ...configMap("marked", {}), metadata: { name: "marked", namespace, labels: { label } } };
        const isRefused = async (): Promise<boolean> =>
          admin.create(kinds.configMap as never, marked as never, { namespace, dryRun: true }).then(
            () => false,
            (error: Error) => error.message.includes("unanswered.attune.dev"),
          );
        for (const pause = growingPause(); !(await isRefused());) await pause();
        await admin.delete(kind, label.toLowerCase());
      }
    }

    test("empties its configurations when it stops, so that writes succeed without it", async () => {
      stop.abort();
      await running;
      for (const kind of [kinds.mutatingWebhookConfiguration, kinds.validatingWebhookConfiguration])
        expect((await admin.get(kind, configurationName)).webhooks ?? []).toEqual([]);
      const ended = async (): Promise<KubeObject | undefined> => write("after", { bad: "1" }).catch(() => undefined);
      for (const pause = growingPause(); !(await ended());) await pause();
    });

    test("registers by Service where another registered by URL, and the other way round", async () => {
      for (const type of ["service", "url", "service"] as const) {
        const ending = new AbortController();
        let webhook = Promise.resolve();
        await new Promise<void>((resolve, reject) => {
          webhook = runWebhook({
            client: account,
            signal: ending.signal,
            handlers,
            host: "127.0.0.1",
            port: 0,
            target: (port) =>
              type === "url"
                ? { type, base: `https://127.0.0.1:${port}` }
                : { type, namespace, name: "attune-webhook", port: 443 },
            secret: { namespace, name: webhookSecret },
            clock,
            onReady: () => resolve(),
          });
          webhook.catch(reject);
        });
        const { spec } = await admin.get(kinds.customResourceDefinition, widgets.handler.definition);
        const to = at({ spec }, "spec", "conversion", "webhook", "clientConfig");
        expect(Object.keys(to as object).sort()).toEqual(["caBundle", type]);
        ending.abort();
        const ended = webhook.then(() => "ended");
        // A webhook behind a Service goes on for a while.
        for (let last: unknown; last !== "ended";) last = await Promise.race([ended, clock.advance(1000)]);
      }
    });
  });

function unanswered({ apiVersion, kind }: { apiVersion: string; kind: string }, label: string): object {
  return {
    apiVersion,
    kind,
    metadata: { name: label.toLowerCase() },
    webhooks: [
      {
        name: "unanswered.attune.dev",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        objectSelector: { matchLabels: { label } },
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 1,
      },
    ],
  };
}
