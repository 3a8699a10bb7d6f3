import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api-error.ts";
import type { Client } from "../../kube/client.ts";
import { deepFreeze } from "../../../language/object/json.ts";
import { keyOf, type KubeObject, type ObjectMeta } from "../../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent } from "../../../language/object/plan.ts";
import { act, ActError, type ActDependencies } from "./act.ts";
import { pause } from "../clock.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";

const profile = (name: string, spec: unknown = { a: 1 }, metadata: ObjectMeta = {}): KubeObject => ({
  apiVersion: "tuned.openshift.io/v1",
  kind: "Profile",
  metadata: { name, namespace: "ns", ...metadata },
  spec,
});
const stored = (name: string, fields: Record<string, unknown> = {}, metadata: ObjectMeta = {}): KubeObject =>
  deepFreeze({ ...profile(name, { a: 1 }, { uid: `uid-${name}`, resourceVersion: "1", ...metadata }), ...fields });

const failure = (code: number, reason: string, name?: string): ApiError =>
  new ApiError({ code, reason, message: `${reason} for ${name}`, details: name ? { name } : {} });

/** A client that records its calls and fails on demand. */
function setUp(cache: KubeObject[] = [], failures: Record<string, ApiError> = {}) {
  const calls: unknown[][] = [];
  const answer = async (verb: string, name: string, ...rest: unknown[]): Promise<KubeObject> => {
    calls.push([verb, name, ...rest]);
    if (Object.hasOwn(failures, name)) throw failures[name]!;
    return stored(name, {}, { resourceVersion: "2" });
  };
  const client = {
    create: (_, object) => answer("create", object.metadata.name!, object),
    update: (_, object) => answer("update", object.metadata.name!, object),
    patch: (_, name, patch, options) => answer("patch", name, patch, options?.subresource),
    delete: async (_, name, options) => void (await answer("delete", name, options?.preconditions)),
  } as Partial<Client> as Client;
  const events: PlannedEvent[] = [];
  const objects = new Map(cache.map((object) => [keyOf(object), object]));
  const dependencies: ActDependencies = {
    client,
    kinds: (apiVersion, kind) => {
      if (kind === "Unknown") throw new Error("no such kind: Unknown");
      return { apiVersion, kind, plural: "profiles", namespaced: true };
    },
    observed: (reference) => objects.get(keyOf(reference)),
    fieldManager: "attune",
    recorder: { record: (event) => events.push(event) },
  };
  const run = (plan: Partial<Plan>, more: Partial<ActDependencies> = {}) =>
    act({ ...emptyPlan(), ...plan }, { ...dependencies, ...more });
  return { calls, events, run };
}

const whole = (object: KubeObject) => ({ owns: "whole", object }) as const;
const none = { written: 0, pruned: 0, statuses: 0, unchanged: 0 };

describe("whole objects", () => {
  test("are created if absent, updated if different, and not written if equal", async () => {
    const { calls, run } = setUp([stored("same"), stored("other", { spec: { a: 2 } })]);
    const result = await run({ objects: ["new", "same", "other"].map((name) => whole(profile(name))) });
    expect(result).toEqual({ ...none, written: 2, unchanged: 1 });
    expect(calls.map(([verb, name]) => [verb, name])).toEqual([
      ["create", "new"],
      ["update", "other"],
    ]);
    expect(calls[1]![2]).toMatchObject({ metadata: { resourceVersion: "1" }, spec: { a: 1 } });
  });

  test("that are being deleted are not written", async () => {
    const { calls, run } = setUp([stored("going", { spec: {} }, { deletionTimestamp: "2026-01-01T00:00:00Z" })]);
    expect(await run({ objects: [whole(profile("going"))] })).toEqual({ ...none, unchanged: 1 });
    expect(calls).toEqual([]);
  });

  test("with exact metadata that are being deleted lose the finalizers of other clients", async () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const { calls, run } = setUp([stored("held", {}, { deletionTimestamp, finalizers: ["x.org/y"] })]);
    await run({ objects: [{ ...whole(profile("held")), exactMetadata: true }] });
    expect(calls).toMatchObject([["update", "held", { metadata: { finalizers: [], resourceVersion: "1" } }]]);
  });
});

test("fields are applied with force unless they are already as planned", async () => {
  const owned = [
    {
      manager: "attune",
      operation: "Apply",
      apiVersion: "tuned.openshift.io/v1",
      fieldsV1: { "f:spec": { "f:a": {} } },
    },
  ] as const;
  const { calls, run } = setUp([
    stored("held", {}, { managedFields: [...owned] }),
    stored("theirs", {}, { managedFields: [] }),
  ]);
  const objects = ["absent", "held", "theirs"].map((name) => ({ owns: "fields", object: profile(name) }) as const);
  expect(await run({ objects })).toEqual({ ...none, written: 2, unchanged: 1 });
  expect(calls).toEqual(
    ["absent", "theirs"].map((name) => [
      "patch",
      name,
      { type: "apply", object: profile(name), force: true },
      undefined,
    ]),
  );
});

test("prunes are sent with a uid, and only if one is known", async () => {
  const { calls, run } = setUp([stored("old"), stored("going", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" })], {
    gone: failure(404, "NotFound", "gone"),
    replaced: failure(409, "Conflict", "replaced"),
  });
  const prunes = [
    profile("old"),
    profile("going"),
    profile("never-seen"),
    profile("gone", {}, { uid: "u1" }),
    profile("replaced", {}, { uid: "u2" }),
  ];
  expect(await run({ prunes })).toEqual({ ...none, pruned: 1, unchanged: 3, requeue: true });
  expect(calls).toEqual([
    ["delete", "old", { uid: "uid-old" }],
    ["delete", "gone", { uid: "u1" }],
    ["delete", "replaced", { uid: "u2" }],
  ]);
});

describe("statuses", () => {
  test("are patched through the subresource if they differ, and removed fields are dropped", async () => {
    const { calls, run } = setUp([
      stored("same", { status: { x: 1 } }),
      stored("other", { status: { x: 1, y: 2 } }),
      stored("bare"),
    ]);
    const statuses = ["same", "other", "bare", "absent"].map((name) => ({ of: profile(name), status: { x: 1 } }));
    expect(await run({ statuses })).toEqual({ ...none, statuses: 2, unchanged: 2 });
    expect(calls).toEqual([
      ["patch", "other", { type: "merge", patch: { status: { y: null } } }, "status"],
      ["patch", "bare", { type: "merge", patch: { status: { x: 1 } } }, "status"],
    ]);
  });

  test("are compared with the caches the plan was decided from, not with later ones", async () => {
    const { calls, run } = setUp();
    let cached = stored("status", { status: { since: "then" } });
    const observed: ActDependencies["observed"] = ({ metadata }) => (metadata.name === "status" ? cached : undefined);
    const plan = {
      objects: [whole(profile("new"))],
      statuses: [{ of: profile("status"), status: { since: "then" } }],
    };
    const done = run(plan, { observed });
    cached = stored("status", { status: { since: "now" } }, { resourceVersion: "2" });
    expect(await done).toEqual({ ...none, written: 1, unchanged: 1 });
    expect(calls.map(([verb, name]) => [verb, name])).toEqual([["create", "new"]]);
  });

  test("of an object that was deleted meanwhile are dropped; a kind without status subresource is an error", async () => {
    const { run } = setUp([stored("gone"), stored("stateless")], {
      gone: failure(404, "NotFound", "gone"),
      stateless: failure(404, "NotFound"),
    });
    const statusOf = (name: string) => ({ statuses: [{ of: profile(name), status: { x: 1 } }] });
    expect(await run(statusOf("gone"))).toEqual({ ...none, unchanged: 1 });
    await expect(run(statusOf("stateless"))).rejects.toThrow("write status of Profile ns/stateless: NotFound");
  });
});

test.each([
  ["a name that is taken", failure(409, "AlreadyExists")],
  ["a newer version", failure(409, "Conflict")],
])("%s is no failure: the plan is made again soon", async (_, error) => {
  const { run } = setUp([], { a: error });
  const objects = [whole(profile("a")), whole(profile("b"))];
  expect(await run({ objects, requeueAfterMs: 60_000 })).toEqual({
    ...none,
    written: 1,
    requeue: true,
    requeueAfterMs: 60_000,
  });
});

test("a failure does not stop other requests, and all failures are reported together", async () => {
  const { calls, events, run } = setUp([stored("old"), stored("new")], {
    bad: failure(422, "Invalid"),
    worse: failure(500, "InternalError"),
  });
  const event: PlannedEvent = { regarding: profile("new"), type: "Warning", reason: "Bad", message: "m" };
  const error = await run({
    objects: [
      whole(profile("bad")),
      whole({ ...profile("x"), kind: "Unknown" }),
      whole(profile("worse")),
      whole(profile("good")),
    ],
    prunes: [profile("old")],
    statuses: [{ of: profile("new"), status: { x: 1 } }],
    events: [event],
  }).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown as ActError,
  );
  expect(error).toBeInstanceOf(ActError);
  expect(error.message).toBe(
    "carry out plan: no such kind: Unknown; create Profile ns/bad: Invalid for undefined; " +
      "create Profile ns/worse: InternalError for undefined",
  );
  expect(error.result).toEqual({ ...none, written: 1, pruned: 1, statuses: 1 });
  expect(calls).toHaveLength(5);
  expect(events).toEqual([event]);
});

test("an event that reports a write is recorded once it was made", async () => {
  const { events, run } = setUp(
    ["one", "two", "three"].map((name) => stored(name)),
    {
      one: failure(500, "InternalError"),
      two: failure(409, "Conflict"),
      five: failure(403, "Forbidden"),
    },
  );
  const eventOf = (name: string, writtenTo?: string): PlannedEvent => ({
    regarding: profile(name),
    type: "Normal",
    reason: "R",
    message: "m",
    ...(writtenTo === undefined ? {} : { writtenTo: profile(writtenTo) }),
  });
  const plan = {
    objects: ["four", "five"].map((name) => whole(profile(name))),
    statuses: ["one", "two", "three"].map((name) => ({ of: profile(name), status: { x: 1 } })),
    events: [
      ...["one", "two", "three"].map((name) => eventOf(name)),
      eventOf("three", "four"),
      eventOf("three", "five"),
      eventOf("elsewhere"),
    ],
  };
  await expect(run(plan)).rejects.toThrow("carry out plan");
  expect(events).toEqual([eventOf("three"), eventOf("three"), eventOf("elsewhere")]);
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  events.length = 0;
  await expect(run(plan, { signal: stop.signal })).rejects.toThrow("stopped");
  expect(events).toEqual([eventOf("elsewhere")]);
});

test("requests are sent in parallel up to the limit, and none after an abort", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  let [running, most, sent] = [0, 0, 0];
  const client = {
    async create(_, object) {
      sent++;
      most = Math.max(most, ++running);
      await pause(clock, 10);
      running--;
      return object;
    },
  } as Partial<Client> as Client;
  const objects = Array.from({ length: 100 }, (_, index) => whole(profile(`p${index}`)));
  const done = setUp().run({ objects }, { client, concurrency: 8, signal: stop.signal });
  await clock.advance(45);
  expect([most, sent]).toEqual([8, 40]);
  stop.abort(new Error("stopped"));
  const ended = expect(done).rejects.toThrow("stopped");
  await clock.advance(1000);
  await ended;
  expect(sent).toBe(40);
});
