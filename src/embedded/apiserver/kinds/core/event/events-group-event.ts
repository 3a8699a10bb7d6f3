import type { KubeObject } from "../../../../../language/object/meta.ts";
import { pathSegment } from "../../../../../language/object/names.ts";
import { defineKind } from "../../define-kind.ts";
import { event } from "./event.ts";
import { fromCoreEvent, toCoreEvent } from "./convert.ts";
import { type StoredEvent, validateChangedEvent, validateEvent, validateNewEvent } from "./validate.ts";

const stored = (object: KubeObject): StoredEvent => toCoreEvent(object) as StoredEvent;

/** The events of the core group with the field names of `events.k8s.io`. */
export const eventsGroupEvent = defineKind({
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  namespaced: true,
  storedAs: {
    group: "",
    version: "v1",
    kind: "Event",
    plural: "events",
    toStored: toCoreEvent,
    fromStored: fromCoreEvent,
  },
  selectableFields: Object.fromEntries(
    Object.entries(event.selectableFields)
      .filter(([field]) => field !== "source")
      .map(([field, value]) => [
        field.replace("involvedObject", "regarding").replace("reportingComponent", "reportingController"),
        (object: KubeObject) => value(stored(object)),
      ]),
  ),
  columns: event.columns.map((column) => ({ ...column, cell: (object, now) => column.cell(stored(object), now) })),
  strategy: {
    validate: (object) => validateEvent(stored(object), "reportingController"),
    validateCreate: (object) => validateNewEvent(stored(object)),
    validateUpdate: (object, old) => validateChangedEvent(stored(object), stored(old)),
    validateName: pathSegment,
    createOnUpdate: true,
    anyFinalizer: true,
  },
});
