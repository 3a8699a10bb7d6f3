import type { Action } from "../../action.ts";
import type { Observe } from "../../plugin.ts";

/** The kernel keeps how much may be dirty as bytes or as a share of memory: setting one makes the other 0. */
const counterparts = new Map([
  ["/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"],
  ["/proc/sys/vm/dirty_ratio", "/proc/sys/vm/dirty_bytes"],
  ["/proc/sys/vm/dirty_background_bytes", "/proc/sys/vm/dirty_background_ratio"],
  ["/proc/sys/vm/dirty_background_ratio", "/proc/sys/vm/dirty_background_bytes"],
]);

/** Puts a sysctl back. Where 0 only meant that the other of a pair is in force, that one is written. */
export async function undoSysctl(path: string, before: string, observe: Observe): Promise<Action[]> {
  const other = before === "0" ? counterparts.get(path) : undefined;
  const file = other === undefined ? undefined : await observe.host.read(other);
  if (other === undefined || file?.type !== "text") return [{ type: "write", path, value: before }];
  return [{ type: "write", path: other, value: file.text.trim() }];
}
