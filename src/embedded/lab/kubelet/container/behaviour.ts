import type { ObjectMeta } from "../../../../language/object/meta.ts";
import type { MemoryHost } from "../../../../node/host/memory-host.ts";

/** What a container that runs no program of ours does. */
export interface Behaviour {
  /** It ends with this code. Absent: it goes on for ever. */
  readonly exitCode?: number;
  /** It runs this long before it ends. Default 0. */
  readonly runMs: number;
  readonly ready: boolean;
  readonly message?: string;
}

/** Annotations of a pod that say what its containers do; the same words stand in a node's files. */
export const behaviourPrefix = "lab.attune.dev/";
/** A file here says so for pods of this node: NAMESPACE_POD, NAMESPACE_APP (the label `app`), NAMESPACE_*, each before the next. */
export const behaviourFolder = "/var/lib/attune-lab/fail";

const words = ["exit-code", "init-exit-code", "run-seconds", "ready", "message"] as const;
type Word = (typeof words)[number];
type Wishes = Partial<Record<Word, string>>;

/** The files that speak of this pod, the most telling first. */
export async function wishesInFiles(
  host: MemoryHost,
  { namespace = "", name = "", labels }: ObjectMeta,
): Promise<Wishes> {
  const app = labels?.["app"] ?? labels?.["app.kubernetes.io/name"];
  for (const who of [name, app, "*"]) {
    if (!who || who.includes("/")) continue;
    const file = await host.read(`${behaviourFolder}/${namespace}_${who}`);
    if (file.type === "text") return readWishes(file.text);
  }
  return {};
}

/** Lines such as `exit-code: 3`. A file that says none of this means to fail: that is what it is there for. */
function readWishes(text: string): Wishes {
  const said = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) said.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const wishes = pick((word) => said.get(word));
  if (Object.keys(wishes).length > 0) return wishes;
  const message = text.trim();
  return { "exit-code": "1", ...(message === "" ? {} : { message }) };
}

export function wishesInAnnotations({ annotations }: ObjectMeta): Wishes {
  return annotations ? pick((word) => annotations[behaviourPrefix + word]) : {};
}

function pick(of: (word: Word) => string | undefined): Wishes {
  const wishes: Wishes = {};
  for (const word of words) {
    const value = of(word);
    if (value !== undefined) wishes[word] = value;
  }
  return wishes;
}

export interface BehaviourInput {
  readonly role: "init" | "sidecar" | "main";
  /** Of a Job, whose pods are there to end. */
  readonly ends: boolean;
  readonly wishes: Wishes;
}

export function behaviourOf({ role, ends, wishes }: BehaviourInput): Behaviour {
  const message = wishes.message;
  if (role === "init") return { exitCode: codeOf(wishes["init-exit-code"]) ?? 0, runMs: 0, ready: true, message };
  const seconds = Number(wishes["run-seconds"]);
  const runs = wishes["run-seconds"] !== undefined && seconds >= 0;
  const exitCode = role === "main" ? (codeOf(wishes["exit-code"]) ?? (ends || runs ? 0 : undefined)) : undefined;
  return { exitCode, runMs: runs ? seconds * 1000 : 0, ready: wishes.ready !== "false", message };
}

function codeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}
