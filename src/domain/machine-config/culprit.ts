import { at, get, isObject } from "../../language/object/json.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool } from "./api.ts";
import type { NamedSource } from "./merge-sources.ts";

/** What is wrong, and with which object: the pool itself or a MachineConfig that it selects. */
export interface RenderProblem {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly field: string;
  readonly message: string;
}

type Fault = Pick<FieldError, "field" | "message">;

export function about({ kind, metadata }: MachineConfig | MachineConfigPool, { field, message }: Fault): RenderProblem {
  return { object: { apiVersion, kind, name: metadata.name ?? "" }, field, message };
}

/** Names the MachineConfig behind a problem of the merged config: the last that has this field, or this entry of a list. */
export function blame(
  fault: Fault,
  merged: object,
  sources: readonly NamedSource[],
  pool: MachineConfigPool,
): RenderProblem {
  const { path, entry, rest } = parsed(fault.field, merged);
  for (const { machineConfig, source } of sources.toReversed()) {
    const value = at(asSpec(source), ...path);
    if (entry === undefined) {
      if (value !== undefined && value !== false) return about(machineConfig, fault);
      continue;
    }
    const position = Array.isArray(value) ? value.findIndex((item) => identity(item) === identity(entry)) : -1;
    if (position >= 0) return about(machineConfig, { ...fault, field: `spec.${path.join(".")}[${position}]${rest}` });
  }
  // No MachineConfig has it any more: it was taken away.
  return about(pool, { field: "spec.machineConfigSelector", message: `${fault.field}: ${fault.message}` });
}

/** As `blame`, of an entry below a link: who has the link may be the one that is wrong. */
export function blameLink(...of: Parameters<typeof blame>): RenderProblem {
  const [fault, merged, sources] = of;
  const path = String(identity(parsed(fault.field, merged).entry));
  const hasLink = ({ source }: NamedSource): boolean =>
    source.document?.storage?.links?.some((link) => path.startsWith(`${link.path}/`)) ?? false;
  const problem = blame(...of);
  const name = sources.findLast(hasLink)?.machineConfig.metadata.name;
  return name === undefined ? problem : { ...problem, message: `${problem.message} of MachineConfig ${name}` };
}

/** A source keeps its Ignition as a document. */
export function asSpec<T extends { readonly document?: unknown }>({ document, ...fields }: T): object {
  return { ...fields, config: document };
}

/** `spec.config.storage.files[3].path` → the path of the list, its entry, and `.path`. */
function parsed(field: string, merged: object): { path: string[]; entry: unknown; rest: string } {
  const [, list = "", position, rest = ""] = /^spec\.([^[]*)(?:\[(\d+)\](.*))?$/.exec(field) ?? [];
  const path = list.split(".");
  const entries = at(merged, ...path);
  return {
    path,
    entry: position !== undefined && Array.isArray(entries) ? entries[Number(position)] : undefined,
    rest,
  };
}

function identity(entry: unknown): unknown {
  return isObject(entry) ? (get(entry, "path") ?? get(entry, "name")) : entry;
}
