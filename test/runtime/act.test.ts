import { beforeEach, expect, it } from "vitest";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { emptyPlan, type ObjectReference, type Plan } from "../../src/language/object/plan.ts";
import { act, ActError, type ActResult } from "../../src/cluster/runtime/act/act.ts";
import { EventRecorder } from "../../src/cluster/runtime/event/event-recorder.ts";
import { withEachServer } from "./with-each-server.ts";
import { clientFor } from "../servers/client-for.ts";

const configMaps = untyped("v1", "ConfigMap", "configmaps", true);
const daemonSets = untyped("apps/v1", "DaemonSet", "daemonsets", true);
const events = untyped("v1", "Event", "events", true);
const refs: Record<string, KindRef> = { ConfigMap: configMaps, DaemonSet: daemonSets };

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...(labels ? { labels } : {}) },
  data,
});
const daemonSet = (image: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "agent", image }] } },
  },
});

withEachServer("a plan that is carried out", (server) => {
  let client: Client;
  const observed = new Map<string, KubeObject>();
  const keyOf = ({ kind, metadata }: ObjectReference): string => `${kind}/${metadata.name}`;

  beforeEach(() => {
    client = clientFor(server());
    observed.clear();
  });

  /** What an informer would have cached by now. */
  async function look(of: KindRef, name: string): Promise<KubeObject | undefined> {
    const object = await client.get(of, name, { namespace: "default" }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (object) observed.set(`${of.kind}/${name}`, object);
    return object;
  }

  function carryOut(plan: Partial<Plan>): Promise<ActResult> {
    return act(
      { ...emptyPlan(), ...plan },
      {
        client,
        kinds: (_, kind) => refs[kind] as KindRef,
        observed: (reference) => observed.get(keyOf(reference)),
        fieldManager: "attune-test",
      },
    );
  }

  it("creates missing objects, writes nothing the second time, and reverts changes of others to wholly owned objects", async () => {
    const object = configMap("whole", { a: "1" }, { ours: "yes" });
    expect(await carryOut({ objects: [{ owns: "whole", object }] })).toMatchObject({ written: 1, unchanged: 0 });
    await look(configMaps, "whole");
    expect(await carryOut({ objects: [{ owns: "whole", object }] })).toMatchObject({ written: 0, unchanged: 1 });

    const meddling = { data: { b: "2" }, metadata: { labels: { ours: "no", theirs: "kept" } } };
    await client.patch(configMaps, "whole", { type: "merge", patch: meddling }, { namespace: "default" });
    await look(configMaps, "whole");
    expect(await carryOut({ objects: [{ owns: "whole", object }] })).toMatchObject({ written: 1 });
    const after = await look(configMaps, "whole");
    expect(after?.data).toEqual({ a: "1" });
    expect(after?.metadata.labels).toEqual({ ours: "yes", theirs: "kept" });
  });

  it("requeues instead of overwriting when the cache is stale", async () => {
    const object = configMap("stale", { a: "1" });
    await carryOut({ objects: [{ owns: "whole", object }] });
    await look(configMaps, "stale");
    await client.patch(configMaps, "stale", { type: "merge", patch: { data: { a: "9" } } }, { namespace: "default" });
    const changed = configMap("stale", { a: "2" });
    expect(await carryOut({ objects: [{ owns: "whole", object: changed }] })).toMatchObject({
      written: 0,
      requeue: true,
    });
    expect((await look(configMaps, "stale"))?.data).toEqual({ a: "9" });
  });

  it("applies only its own fields, and removes fields that are no longer planned", async () => {
    const both = configMap("fields", { mine: "1", also: "1" });
    expect(await carryOut({ objects: [{ owns: "fields", object: both }] })).toMatchObject({ written: 1 });
    await client.patch(
      configMaps,
      "fields",
      { type: "merge", patch: { data: { theirs: "x" } } },
      { namespace: "default" },
    );
    await look(configMaps, "fields");
    expect(await carryOut({ objects: [{ owns: "fields", object: both }] })).toMatchObject({ written: 0, unchanged: 1 });
    expect(await carryOut({ objects: [{ owns: "fields", object: configMap("fields", { mine: "2" }) }] })).toMatchObject(
      { written: 1 },
    );
    expect((await look(configMaps, "fields"))?.data).toEqual({ mine: "2", theirs: "x" });
  });

  it("does not treat the server's defaults as changes", async () => {
    expect(await carryOut({ objects: [{ owns: "fields", object: daemonSet("one") }] })).toMatchObject({ written: 1 });
    const first = await look(daemonSets, "agent");
    expect(await carryOut({ objects: [{ owns: "fields", object: daemonSet("one") }] })).toMatchObject({ unchanged: 1 });
    expect(await carryOut({ objects: [{ owns: "fields", object: daemonSet("two") }] })).toMatchObject({ written: 1 });
    expect((await look(daemonSets, "agent"))?.metadata.generation).toBe((first?.metadata.generation ?? 0) + 1);
    await carryOut({ prunes: [observed.get("DaemonSet/agent") as KubeObject] });
  });

  it("prunes the planned object, and no later one of its name", async () => {
    await carryOut({ objects: [{ owns: "whole", object: configMap("old", {}) }] });
    const old = (await look(configMaps, "old")) as KubeObject;
    await client.delete(configMaps, "old", { namespace: "default" });
    await client.create(configMaps, configMap("old", { new: "1" }), { namespace: "default" });
    await carryOut({ prunes: [old] });
    const next = (await look(configMaps, "old")) as KubeObject;
    expect(next.data).toEqual({ new: "1" });
    expect(await carryOut({ prunes: [next] })).toMatchObject({ pruned: 1 });
    expect(await look(configMaps, "old")).toBeUndefined();
  });

  it("writes a status only when it differs", async () => {
    await carryOut({ objects: [{ owns: "fields", object: daemonSet("one") }] });
    const of = (await look(daemonSets, "agent")) as KubeObject;
    const status = { ...(of.status as object), numberReady: 3, desiredNumberScheduled: 3 };
    expect(await carryOut({ statuses: [{ of, status }] })).toMatchObject({ statuses: 1 });
    await look(daemonSets, "agent");
    expect(await carryOut({ statuses: [{ of, status }] })).toMatchObject({ statuses: 0, unchanged: 1 });
    expect(observed.get("DaemonSet/agent")?.status).toMatchObject({ numberReady: 3 });
  });

  it("carries out the rest when one object is refused, and names it and the reason", async () => {
    const bad = configMap("bad", {});
    (bad as Record<string, unknown>).data = { "not a key!": "x" };
    const plan = {
      objects: [bad, configMap("good", { a: "1" })].map((object) => ({ owns: "whole" as const, object })),
    };
    const error: unknown = await carryOut(plan).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ActError);
    expect((error as ActError).message).toContain("bad");
    expect((error as ActError).result).toMatchObject({ written: 1 });
    expect((await look(configMaps, "good"))?.data).toEqual({ a: "1" });
  });

  it("creates an Event once, and counts repetitions", async () => {
    const regarding = (await look(configMaps, "good")) as KubeObject;
    const recorder = new EventRecorder({ client, component: "attune-test" });
    for (let i = 0; i < 3; i++)
      recorder.record({ regarding, type: "Warning", reason: "Tested", message: "the same each time" });
    await recorder.flush();
    const { items } = await client.list(events, { namespace: "default", fieldSelector: "reason=Tested" });
    expect(items.map(({ count, message, type }) => ({ count, message, type }))).toEqual([
      { count: 3, message: "the same each time", type: "Warning" },
    ]);
  });
});
