import { writeJson } from "../../../language/object/exact-json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { asStored } from "../conversion/stored-version.ts";
import { apiVersion } from "../registry.ts";
import type { RequestContext } from "../request/context.ts";
import type { EventType } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { partialMetadata } from "../table/partial-metadata.ts";
import { toTableEvent } from "../table/table.ts";
import type { Representation } from "./negotiate.ts";
import { includeObject, showsMetadata } from "./respond.ts";

/** A larger object is not copied into its event: the copy would be held for each client until it has taken it. */
const largeBytes = 64 * 1024;

/** Events as bytes. A commit notifies all watchers in one turn of the event loop, so each event is encoded once. */
export class EventFrames {
  readonly #frames = new Map<Buffer, Partial<Record<EventType, readonly Buffer[]>>>();

  /** The parts of an event, in order. */
  frame(type: EventType, object: Buffer): readonly Buffer[] {
    if (this.#frames.size === 0) setImmediate(() => this.#frames.clear());
    let frames = this.#frames.get(object);
    if (!frames) this.#frames.set(object, (frames = {}));
    return (frames[type] ??= partsOf(type, object));
  }
}

function partsOf(type: EventType, object: Buffer): readonly Buffer[] {
  const parts = [Buffer.from(`{"type":"${type}","object":`), object, Buffer.from("}\n")];
  return object.length > largeBytes ? parts : [Buffer.concat(parts)];
}

/** The frames of one watch, in the representation its client asked for. */
export class WatchFrames {
  readonly #context: RequestContext;
  readonly #representation: Representation;
  readonly #shared: EventFrames;
  #columnsSent = false;

  constructor(context: RequestContext, representation: Representation, shared: EventFrames) {
    this.#context = context;
    this.#representation = representation;
    this.#shared = shared;
  }

  ready(entries: readonly Entry[]): Promise<unknown> | undefined {
    const { resource, services } = this.#context;
    return showsMetadata(this.#representation) ? undefined : services.views.ready(entries, resource);
  }

  event(type: EventType, entry: Entry): readonly Buffer[] {
    const { resource, services } = this.#context;
    if (this.#representation.as === "object") return this.#shared.frame(type, services.views.bytes(entry, resource));
    const as = showsMetadata(this.#representation) ? asStored(resource, entry) : resource;
    return [lineOf(type, this.#reduced(services.views.object(entry, as), false))];
  }

  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const { resource } = this.#context;
    const metadata = {
      resourceVersion: String(revision),
      ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    };
    const bare = { kind: resource.kind, apiVersion: apiVersion(resource), metadata };
    return lineOf("BOOKMARK", this.#representation.as === "object" ? bare : this.#reduced(bare, true));
  }

  error(error: StatusError): Buffer {
    return lineOf("ERROR", error.toStatus());
  }

  #reduced(object: KubeObject, isBookmark: boolean): object {
    if (this.#representation.as !== "Table") return partialMetadata(object);
    const { resource, services, query } = this.#context;
    // kubectl wants the columns once, with the first event.
    const isFirst = !this.#columnsSent;
    this.#columnsSent = true;
    const now = services.clock.now();
    return toTableEvent({ resource, object, includeObject: includeObject(query), now, isFirst, isBookmark });
  }
}

function lineOf(type: string, object: object): Buffer {
  return Buffer.from(`${writeJson({ type, object })}\n`);
}
