import type { ContainerMount, InspectedContainer } from "../container-runtime.ts";
import { entryOf, fieldsOf, textField, textOf, trueField } from "./protobuf.ts";

/** `ContainerStatusRequest`: with `verbose`, the answer has the OCI spec of the container. */
export function statusRequest(id: string): Uint8Array {
  return Buffer.concat([textField(1, id), trueField(2)]);
}

const podUidLabel = "io.kubernetes.pod.uid";

/** Reads a `ContainerStatusResponse`. Throws where it is none. */
export function readStatus(response: Uint8Array): InspectedContainer & { readonly id: string } {
  let id = "";
  let podUid: string | undefined;
  let spec: Pick<InspectedContainer, "cpus" | "cgroupsPath"> = {};
  const mounts: ContainerMount[] = [];
  for (const { number, bytes } of fieldsOf(response)) {
    if (number === 1)
      for (const field of fieldsOf(bytes)) {
        if (field.number === 1) id = textOf(field.bytes);
        else if (field.number === 12) {
          const [label, value] = entryOf(field.bytes);
          if (label === podUidLabel) podUid = value;
        } else if (field.number === 14) mounts.push(readMount(field.bytes));
      }
    else if (number === 2) {
      const [key, value] = entryOf(bytes);
      // The runtimes agree on the key, and on a JSON text as its value.
      if (key === "info") spec = readSpec(value);
    }
  }
  if (id === "") throw new Error("it describes no container");
  return { id, podUid, ...spec, mounts };
}

function readMount(message: Uint8Array): ContainerMount {
  let [containerPath, hostPath] = ["", ""];
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) containerPath = textOf(bytes);
    else if (number === 2) hostPath = textOf(bytes);
  }
  return { containerPath, hostPath };
}

function readSpec(info: string): Pick<InspectedContainer, "cpus" | "cgroupsPath"> {
  const linux = child(child(parsed(info), "runtimeSpec"), "linux");
  const cpus = child(child(child(linux, "resources"), "cpu"), "cpus");
  const cgroupsPath = child(linux, "cgroupsPath");
  return {
    ...(typeof cpus === "string" ? { cpus } : {}),
    ...(typeof cgroupsPath === "string" ? { cgroupsPath } : {}),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error("its details of the container are not JSON", { cause: error });
  }
}

function child(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
