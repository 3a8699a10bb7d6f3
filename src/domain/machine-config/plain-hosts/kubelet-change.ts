import { equal, get } from "../../../language/object/json.ts";
import { plainPath } from "../kubelet-config/kubelet-files.ts";
import type { MachineFile } from "../machine-contents.ts";
import { fieldsOfFile } from "./kubelet-on-host.ts";

/** What the managers of a kubelet remember of pods, in its folder. */
export const managerStates = ["cpu_manager_state", "memory_manager_state"];

/** Fields that the remembered state depends on. */
const stateFields = [
  "cpuManagerPolicy",
  "cpuManagerPolicyOptions",
  "reservedSystemCPUs",
  "memoryManagerPolicy",
  "reservedMemory",
  "kubeReserved",
  "systemReserved",
  "topologyManagerPolicy",
  "topologyManagerScope",
  "topologyManagerPolicyOptions",
];

/**
 * Whether what KubeletConfigs set changes how CPUs and memory are allocated. Then pods must leave, and the remembered state is
 * removed while the kubelet is stopped: it does not start with the state of another policy. A crash at any moment leaves a
 * kubelet that starts, in this order: stop, remove, change files, start.
 */
export function renewsState(before: MachineFile | undefined, after: MachineFile | undefined): boolean {
  const [old, wanted] = [before, after].map(fieldsOfFile);
  return stateFields.some((name) => !equal(get(old, name), get(wanted, name)));
}

/** The same for all changed files of an update. */
export function changesState(files: readonly ChangedFile[]): boolean {
  return files.some(({ path, before, after }) => path === plainPath && renewsState(before, after));
}

interface ChangedFile {
  readonly path: string;
  readonly before?: MachineFile | undefined;
  readonly after?: MachineFile | undefined;
}
