import type { Event } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../../language/object/json.ts";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { dnsSubdomain, qualifiedName } from "../../../../../language/object/names.ts";
import { type FieldError, immutable, invalid, required } from "../../../../../language/schema/field-error.ts";

export type StoredEvent = KubeObject & Event;

/** Rules for events of both groups. `reporter` is the field that names the reporter in the group. */
export function validateEvent(event: StoredEvent, reporter: string): FieldError[] {
  const { namespace: about = "" } = event.involvedObject;
  const own = event.metadata.namespace ?? "";
  const elsewhere = invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!event.eventTime)
    // Events of cluster-scoped objects belong to the namespace `default`.
    return about === own || (about === "" && own === "default") ? [] : [elsewhere];
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  return [
    ...(about === "" && own !== "default" && own !== "kube-system" ? [elsewhere] : []),
    ...(reportingComponent === "" ? [required(reporter)] : []),
    ...qualifiedName(reportingComponent).map((why) => invalid(reporter, reportingComponent, why)),
    ...validateText("reportingInstance", reportingInstance),
    ...validateText("action", action),
    ...validateText("reason", reason),
    ...atMost("message", message, 1024),
  ];
}

function validateText(field: string, text: string): FieldError[] {
  return text === "" ? [required(field)] : atMost(field, text, 128);
}

function atMost(field: string, text: string, length: number): FieldError[] {
  return Buffer.byteLength(text) > length ? [invalid(field, "", `can have at most ${length} characters`)] : [];
}

/** Stricter rules for events created through `events.k8s.io`. */
export function validateNewEvent(event: StoredEvent): FieldError[] {
  const unset = (field: string): FieldError => invalid(field, "", "needs to be unset");
  const { type = "", source = {} } = event;
  return [
    ...dnsSubdomain(event.metadata.name ?? "").map((why) => invalid("metadata.name", event.metadata.name, why)),
    ...validateSeries(event),
    ...(event.eventTime ? [] : [required("eventTime")]),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...(event.firstTimestamp ? [unset("firstTimestamp")] : []),
    ...(event.lastTimestamp ? [unset("lastTimestamp")] : []),
    ...(event.count ? [unset("count")] : []),
    ...(source.component || source.host ? [unset("source")] : []),
  ];
}

const unchanging = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
] as const;

/** Only the series of an event may change. */
export function validateChangedEvent(event: StoredEvent, old: StoredEvent): FieldError[] {
  return [
    ...(equal(event.series, old.series) ? [] : validateSeries(event)),
    ...unchanging
      .filter((field) => !equal(event[field], old[field]))
      .map((field) => immutable(field === "reportingComponent" ? "reportingController" : field, event[field])),
  ];
}

function validateSeries({ series }: StoredEvent): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [required("series.lastObservedTime")]),
  ];
}
