import type { ObjectMeta } from "../../../../language/object/meta.ts";
import type { MemoryHost } from "../../../../node/host/memory-host.ts";

/** What a container does that runs no program of ours. */
export interface Behaviour {
  /** It ends with this code. Absent: it never ends. */
  readonly exitCode?: number | undefined;
  /** It runs this long before it ends. Default 0. */
  readonly runMs: number;
  readonly ready: boolean;
  readonly message?: string | undefined;
}

/** The prefix of the pod annotations that override the behaviour of its containers. */
export const behaviourPrefix = "lab.attune.dev/";
/** Files here override it for pods of this node: NAMESPACE_POD, else NAMESPACE_APP (the label `app`), else NAMESPACE_*. */
export const behaviourFolder = "/var/lib/attune-lab/fail";

const keys = ["exit-code", "init-exit-code", "run-seconds", "ready", "message", "image-user"] as const;
type Key = (typeof keys)[number];
type Overrides = Partial<Record<Key, string>>;

/** The most specific file that applies to the pod. */
export async function overridesInFiles(
  host: MemoryHost,
  { namespace = "", name = "", labels }: ObjectMeta,
): Promise<Overrides> {
  const app = labels?.["app"] ?? labels?.["app.kubernetes.io/name"];
  for (const target of [name, app, "*"]) {
    if (!target || target.includes("/")) continue;
    const file = await host.read(`${behaviourFolder}/${namespace}_${target}`);
    if (file.type === "text") return readOverrides(file.text);
  }
  return {};
}

/** Lines such as `exit-code: 3`. A file without any known key means exit code 1, and its text is the message. */
function readOverrides(text: string): Overrides {
  const lines = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) lines.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const overrides = pick((key) => lines.get(key));
  if (Object.keys(overrides).length > 0) return overrides;
  const message = text.trim();
  return { "exit-code": "1", ...(message === "" ? {} : { message }) };
}

export function overridesInAnnotations({ annotations }: ObjectMeta): Overrides {
  return annotations ? pick((key) => annotations[behaviourPrefix + key]) : {};
}

function pick(valueOf: (key: Key) => string | undefined): Overrides {
  const overrides: Overrides = {};
  for (const key of keys) {
    const value = valueOf(key);
    if (value !== undefined) overrides[key] = value;
  }
  return overrides;
}

export interface BehaviourInput {
  readonly role: "init" | "sidecar" | "main";
  /** Whether the container succeeds at once by default: the pods of a Job do. */
  readonly ends: boolean;
  readonly overrides: Overrides;
}

export function behaviourOf({ role, ends, overrides }: BehaviourInput): Behaviour {
  const { message } = overrides;
  if (role === "init") return { exitCode: codeOf(overrides["init-exit-code"]) ?? 0, runMs: 0, ready: true, message };
  const seconds = Number(overrides["run-seconds"]);
  const runs = overrides["run-seconds"] !== undefined && seconds >= 0;
  const exitCode = role === "main" ? (codeOf(overrides["exit-code"]) ?? (ends || runs ? 0 : undefined)) : undefined;
  return { exitCode, runMs: runs ? seconds * 1000 : 0, ready: overrides.ready !== "false", message };
}

function codeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}
