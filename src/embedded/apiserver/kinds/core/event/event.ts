import type { Event } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { pathSegment } from "../../../../../language/object/names.ts";
import { since, stringColumn, typed } from "../../columns.ts";
import { defineKind } from "../../define-kind.ts";
import { validateEvent } from "./validate.ts";

const reference = (field: keyof Event["involvedObject"]) => (object: KubeObject) =>
  (object as unknown as Event).involvedObject[field] ?? "";

export const event = defineKind({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  namespaced: true,
  selectableFields: {
    "involvedObject.kind": reference("kind"),
    "involvedObject.namespace": reference("namespace"),
    "involvedObject.name": reference("name"),
    "involvedObject.uid": reference("uid"),
    "involvedObject.apiVersion": reference("apiVersion"),
    "involvedObject.resourceVersion": reference("resourceVersion"),
    "involvedObject.fieldPath": reference("fieldPath"),
    reason: (object) => (object as unknown as Event).reason ?? "",
    reportingComponent: (object) => (object as unknown as Event).reportingComponent ?? "",
    source: (object) => sourceOf(object as unknown as Event),
    type: (object) => (object as unknown as Event).type ?? "",
  },
  columns: [
    stringColumn(
      "Last Seen",
      typed<Event>((event, now) => lastSeen(event, now)),
    ),
    stringColumn(
      "Type",
      typed<Event>(({ type }) => type ?? ""),
    ),
    stringColumn(
      "Reason",
      typed<Event>(({ reason }) => reason ?? ""),
    ),
    stringColumn(
      "Object",
      typed<Event>(({ involvedObject: { kind, name } }) =>
        kind ? `${kind.toLowerCase()}/${name ?? ""}` : (name ?? ""),
      ),
    ),
    stringColumn(
      "Subobject",
      typed<Event>(({ involvedObject }) => involvedObject.fieldPath ?? ""),
      1,
    ),
    stringColumn(
      "Source",
      typed<Event>(({ source, reportingComponent, reportingInstance }) =>
        withHost(source?.component || reportingComponent || "", source?.host || reportingInstance || ""),
      ),
      1,
    ),
    stringColumn(
      "Message",
      typed<Event>(({ message }) => (message ?? "").trim()),
    ),
    stringColumn("First Seen", typed<Event>(firstSeen), 1),
    stringColumn(
      "Count",
      typed<Event>(({ series, count }) => series?.count ?? (count || 1)),
      1,
    ),
    { name: "Name", type: "string", format: "name", priority: 1, cell: (object) => object.metadata.name ?? "" },
  ],
  strategy: {
    validate: (object) => validateEvent(object as never, "reportingComponent"),
    validateName: pathSegment,
    createOnUpdate: true,
    anyFinalizer: true,
  },
});

const withHost = (component: string, host: string): string => (host ? `${component}, ${host}` : component);

const sourceOf = (event: Event): string => event.source?.component || event.reportingComponent || "";

function firstSeen(event: Event, now: number): string {
  return since(event.firstTimestamp ?? event.eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now);
}
