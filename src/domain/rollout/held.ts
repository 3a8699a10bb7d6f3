import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { readObject } from "./node-annotations.ts";
import type { Waiting } from "./waiting.ts";

/** On a pool whose new rendering waits: JSON. It is in the cluster so that an operator that restarts goes on waiting. */
export const heldAnnotation = "rollout.attune.dev/held";

/** Why a rendering is not released, or was released without some nodes. */
export interface Held {
  readonly rendering: string;
  /** RFC 3339. */
  readonly since: string;
  /** `boot arguments of nodes`. Absent: nothing is missing any more. */
  readonly waitsFor?: string | undefined;
  /** RFC 3339: when nothing was missing any more. */
  readonly readySince?: string | undefined;
  /** Names of the nodes that it waits for. */
  readonly nodes?: readonly string[] | undefined;
  /** It was released after the longest time. */
  readonly released?: true | undefined;
}

const fields = ["rendering", "since", "readySince", "waitsFor", "nodes"] as const;

/** Undefined: nothing is held. A text that no operator wrote counts as nothing. */
export function heldOf({ metadata: { annotations = {} } }: Pick<KubeObject, "metadata">): Held | undefined {
  const value = readObject(Object.hasOwn(annotations, heldAnnotation) ? annotations[heldAnnotation] : undefined);
  const [rendering, since, readySince, waitsFor, nodes] = fields.map((name) => at(value, name));
  if (typeof rendering !== "string" || !isTime(since)) return undefined;
  return {
    rendering,
    since,
    ...(isTime(readySince) ? { readySince } : {}),
    ...(typeof waitsFor === "string" ? { waitsFor } : {}),
    ...(Array.isArray(nodes) ? { nodes: nodes.filter((node) => typeof node === "string") } : {}),
    ...(at(value, "released") === true ? { released: true as const } : {}),
  };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

const mostNodes = 10;

/** The text of the annotation. Of thousands of nodes it names some: the size of annotations is limited. */
export function heldText({ nodes, ...held }: Held): string {
  const shown =
    nodes && nodes.length > mostNodes ? [...nodes.slice(0, mostNodes), `and ${nodes.length - mostNodes} more`] : nodes;
  return JSON.stringify({ ...held, ...(shown ? { nodes: shown } : {}) });
}

/** For conditions: what waits for what, and for how long. */
export function describeHeld({
  rendering,
  since,
  waitsFor = "two seconds without another change",
  nodes,
  released,
}: Held): string {
  const names = nodes && nodes.length > 0 ? `: ${nodes.join(", ")}` : "";
  return released
    ? `MachineConfig ${rendering} was released without waiting any longer for ${waitsFor}${names}: these nodes may restart twice`
    : `MachineConfig ${rendering} waits for ${waitsFor}${names} (since ${since}, at most five minutes)`;
}

/** Why a pool waits. Nothing is said of the moment in which more changes may come. */
export function heldWaits(held: Held | undefined): Waiting[] {
  if (!held || (!held.released && held.waitsFor === undefined)) return [];
  const reason = held.released ? "ReleasedWithoutBootArguments" : "WaitingForBootArguments";
  return [{ reason, message: describeHeld(held) }];
}
