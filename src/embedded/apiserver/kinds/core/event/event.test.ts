import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { RecordedWatch } from "../../../testing/recorded-watch.ts";
import { SmallServer } from "../../../testing/small-server.ts";
import { row } from "../../testing/run-strategy.ts";
import { event } from "./event.ts";
import { eventsGroupEvent } from "./events-group-event.ts";
import { fromCoreEvent, toCoreEvent } from "./convert.ts";

const about = { kind: "Pod", name: "p", namespace: "a" };
const at = (name: string) => ({ namespace: "a", name });
const time = "2026-01-01T00:00:00.000000Z";
const told = {
  regarding: about,
  reason: "R",
  note: "n",
  type: "Warning",
  action: "A",
  reportingController: "a.b/c",
  reportingInstance: "i",
  eventTime: time,
};
const counted = { involvedObject: about, reason: "S", message: "m", type: "Normal", count: 2 };

let server: SmallServer;
let core: KubeObject;
let grouped: KubeObject;

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  core = await server.create("events", { metadata: at("counted"), ...counted, source: { component: "k" } });
  grouped = await server.create("events.events.k8s.io", { metadata: at("told"), ...told });
});

describe("an event", () => {
  it("is one object in both groups, with the field names of each", () => {
    expect(server.get("events", at("told"))).toEqual({
      apiVersion: "v1",
      kind: "Event",
      metadata: grouped.metadata,
      involvedObject: about,
      reason: "R",
      message: "n",
      type: "Warning",
      action: "A",
      reportingComponent: "a.b/c",
      reportingInstance: "i",
      eventTime: time,
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
    });
    expect(server.get("events.events.k8s.io", at("counted"))).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: core.metadata,
      regarding: about,
      reason: "S",
      note: "m",
      type: "Normal",
      deprecatedCount: 2,
      deprecatedSource: { component: "k" },
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      eventTime: null,
    });
  });

  it("loses nothing when it is converted back and forth", () => {
    expect(toCoreEvent(fromCoreEvent(core))).toEqual(core);
    expect(fromCoreEvent(toCoreEvent(grouped))).toEqual(grouped);
  });

  it("is listed, selected, watched and deleted in both", async () => {
    const watch = RecordedWatch.start(server, "events.events.k8s.io");
    expect(server.list("events").names).toEqual(["a/counted", "a/told"]);
    const named = (resource: string, fieldSelector: string) =>
      server.list(resource, { query: { fieldSelector } }).names;
    expect(named("events", "involvedObject.name=p,reportingComponent=a.b/c")).toEqual(["a/told"]);
    expect(named("events.events.k8s.io", "regarding.name=p,reportingController=a.b/c")).toEqual(["a/told"]);
    await server.delete("events.events.k8s.io", at("counted"));
    expect(server.list("events").names).toEqual(["a/told"]);
    expect(watch.take()).toEqual(["ADDED a/counted@2", "ADDED a/told@3", "DELETED a/counted@4"]);
    watch.hangUp();
  });

  it("is updated through one group and read through the other", async () => {
    const series = { count: 2, lastObservedTime: time };
    await server.patch("events.events.k8s.io", at("told"), { series });
    expect(server.get("events", at("told"))).toMatchObject({ message: "n", series });
    await server.patch("events", at("counted"), { count: 3 });
    expect(server.get("events.events.k8s.io", at("counted"))).toMatchObject({ note: "m", deprecatedCount: 3 });
    const same = await server.patch("events.events.k8s.io", at("told"), { series });
    expect(same.metadata.resourceVersion).toBe(server.get("events", at("told")).metadata.resourceVersion);
  });

  it("shows the same row in both", () => {
    const now = Date.parse(time) + 5000;
    expect(row(eventsGroupEvent, grouped, now)).toEqual(row(event, server.get("events", at("told")), now));
    expect(row(eventsGroupEvent, grouped, now)).toMatchObject({ "Last Seen": "5s", Object: "pod/p", Message: "n" });
  });
});

describe("the group events.k8s.io", () => {
  it.each([
    [{ ...told, eventTime: null }, "eventTime: Required value"],
    [{ ...told, type: "Odd" }, "type: Invalid value"],
    [{ ...told, deprecatedCount: 1 }, "count: Invalid value"],
    [{ ...told, series: { count: 1, lastObservedTime: time } }, "series.count: Invalid value"],
    [{ ...told, reportingController: "" }, "reportingController: Required value"],
    [{ ...told, reason: "x".repeat(129) }, "can have at most 128 characters"],
    [{ ...told, regarding: { kind: "Node" } }, "does not match event.namespace"],
  ])("rejects an incomplete event: %j", async (body, words) => {
    const write = server.create("events.events.k8s.io", { metadata: at("x"), ...body });
    await expect(write).rejects.toThrow(words);
  });

  it("rejects changes of an event, except its series", async () => {
    const write = server.patch("events.events.k8s.io", at("told"), { note: "other", reportingController: "d" });
    await expect(write).rejects.toThrow(
      'Event "told" is invalid: [message: Invalid value: "other": field is immutable, reportingController: Invalid value: "d": field is immutable]',
    );
  });
});
