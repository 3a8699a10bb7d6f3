import type { Probe } from "../probe.ts";
import { apply, get, merge, namespace, post, put, remove, table } from "./wire.ts";

const space = "events";
const core = `/api/v1/namespaces/${space}/events`;
const grouped = `/apis/events.k8s.io/v1/namespaces/${space}/events`;
const about = { kind: "Pod", name: "p", namespace: space };
const old = { metadata: { name: "old" }, involvedObject: about, reason: "R", message: "m", type: "Normal", count: 2 };
const complete = {
  metadata: { name: "complete" },
  regarding: about,
  reason: "R",
  note: "n",
  type: "Warning",
  action: "A",
  reportingController: "a.b/c",
  reportingInstance: "i",
  eventTime: "2026-01-01T00:00:00.000000Z",
};
const long = "x".repeat(1025);

export const events: readonly Probe[] = [
  {
    name: "events of two groups",
    steps: [
      namespace(space),
      post(
        core,
        { ...old, source: { component: "c", host: "h" }, firstTimestamp: "2026-01-01T00:00:00Z" },
        { as: "old" },
      ),
      post(grouped, complete),
      ...[core, grouped].flatMap((all) => [
        get(`${all}/old`),
        get(`${all}/complete`),
        get(all, { accept: table }),
        get(`${all}?fieldSelector=reason%3DR,type%3DWarning`),
        get(`${all}?fieldSelector=involvedObject.name%3Dp`),
        get(`${all}?fieldSelector=regarding.name%3Dp`),
        get(`${all}?fieldSelector=reportingComponent%3Da.b/c`),
        get(`${all}?fieldSelector=reportingController%3Da.b/c`),
        get(`${all}?fieldSelector=source%3Dc`),
      ]),
      post(core, { ...old, metadata: { name: "a" }, involvedObject: { ...about, namespace: "other" } }),
      post(core, { ...old, metadata: { name: "a" }, involvedObject: { kind: "Node" } }),
      post(core, { ...old, metadata: { name: "a" }, eventTime: "2026-01-01T00:00:00.000000Z" }),
      post(core, {
        ...old,
        metadata: { name: "a" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        message: long,
        reason: long,
        action: long,
        reportingInstance: long,
        reportingComponent: "a b",
      }),
      post(grouped, { metadata: { name: "Bad_Name" }, regarding: about }),
      post(grouped, {
        ...complete,
        metadata: { name: "b" },
        type: "Odd",
        series: { count: 1 },
        deprecatedCount: 1,
        deprecatedSource: { component: "c" },
        deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
        deprecatedLastTimestamp: "2026-01-01T00:00:00Z",
      }),
      post(grouped, { ...complete, metadata: { name: "b" }, message: "m" }),
      merge(`${grouped}/complete`, { note: "other", reason: "S", reportingController: "d" }),
      merge(`${grouped}/complete`, { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } }),
      merge(`${grouped}/complete`, { metadata: { labels: { a: "b" } } }),
      put(`${core}/old`, { ...old, count: 3 }),
      put(`${grouped}/put`, { ...complete, metadata: { name: "put" } }),
      apply(`${grouped}/applied`, "m", {
        ...complete,
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: "applied" },
      }),
      get(`${core}?watch=true&timeoutSeconds=1&resourceVersion={{old.metadata.resourceVersion}}`),
      get(`${grouped}?watch=true&timeoutSeconds=1&resourceVersion={{old.metadata.resourceVersion}}`),
      remove(`${grouped}/old`),
      remove(core),
      get(grouped),
    ],
  },
];
