import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { bootArgumentsAnnotation, inputsAnnotation, type Profile } from "../../domain/node-tuning/api.ts";
import type { Tuning } from "./tune-outcome.ts";

export interface AnnotateOptions {
  readonly client: Client;
  readonly node: string;
  readonly fieldManager: string;
}

export type Annotate = (profile: Profile, tuning: Tuning, signal: AbortSignal) => Promise<void>;

/**
 * The shipped protocol: boot arguments and what they depend on, in annotations of the Node. Written only for a profile that
 * is in force, so that the operator does not take the arguments of one profile for those of the next.
 */
export function nodeAnnotator({ client, node, fieldManager }: AnnotateOptions): Annotate {
  let written: Readonly<Record<string, string>> | undefined;

  return async (profile, { outcome, inForce }, signal) => {
    if (outcome.type !== "applied") return;
    const wanted = {
      [bootArgumentsAnnotation]: inForce?.bootcmdline ?? "",
      [inputsAnnotation]: profile.metadata.annotations?.[inputsAnnotation] ?? "",
    };
    if (written && isIn(wanted, written)) return;
    const { metadata } = await client.get(kinds.node, node, { signal });
    if (!isIn(wanted, metadata.annotations ?? {})) {
      const patch = { metadata: { annotations: wanted } };
      await client.patch(kinds.node, node, { type: "merge", patch }, { fieldManager, signal });
    }
    written = wanted;
  };
}

function isIn(wanted: Readonly<Record<string, string>>, found: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(found, name) && found[name] === value);
}
