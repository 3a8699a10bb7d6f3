import { qosClass } from "../../../language/cpu/qos-class.ts";
import { databaseContainer } from "../names.ts";
import { isScyllaPod } from "../scylla-pod.ts";
import { entrypointAnnotation, gateFolder, gateName, timeoutAnnotation, tokenVolume } from "./gate-names.ts";
import { type Container, hasGate, type Pod, withoutGate } from "./gated-pod.ts";
import { patientProbes } from "./patient-probes.ts";
import { sidecar, sidecarVolumes } from "./sidecar.ts";
import { waitThen } from "./wait.ts";

export type Injection =
  | { readonly type: "unchanged"; readonly reason: string }
  | { readonly type: "changed"; readonly pod: Pod }
  | { readonly type: "refused"; readonly field: string; readonly message: string };

/** The program of the Scylla image. A container's `args` alone do not say what they are passed to. */
const imageEntrypoint = ["/docker-entrypoint.py"];

/** The pod of a database with the gate in front of it. A pod that has one gets this version's in its place. */
export function injectGate(pod: Pod, image: string): Injection {
  const { metadata } = pod;
  if (!pod.spec || !isScyllaPod(pod)) return unchanged(`has no container ${databaseContainer}`);
  if (pod.spec.os?.name === "windows") return unchanged("runs on Windows");
  // The kubelet runs what its own file says: this object only shows it.
  if (Object.hasOwn(metadata.annotations ?? {}, "kubernetes.io/config.mirror")) return unchanged("is a static pod");
  const entrypoint = readEntrypoint(metadata.annotations?.[entrypointAnnotation]);
  if (!entrypoint) return refused(entrypointAnnotation, "must be a path, or a JSON array of words");
  const timeout = metadata.annotations?.[timeoutAnnotation];
  if (timeout !== undefined && !isDuration(timeout))
    return refused(timeoutAnnotation, `${JSON.stringify(timeout)} is not a duration such as 30s, 10m or 1h`);
  const isPatient = hasGate(pod);
  const spec = withoutGate(pod.spec);
  const { containers, initContainers = [], volumes = [] } = spec;
  const names = volumes.map(({ name }) => name);
  const shared = free(gateName, names);
  const ours = { shared, token: free(tokenVolume, [...names, shared]) };
  const gated = containers.map((container) =>
    container.name === databaseContainer ? behindGate(container, { shared, entrypoint, isPatient }) : container,
  );
  const added = sidecar({
    name: free(
      gateName,
      [...containers, ...initContainers].map(({ name }) => name),
    ),
    image,
    qos: spec.resources ? undefined : qosClass(spec),
    podUser: spec.securityContext?.runAsUser,
    timeout,
    volumes: ours,
  }) as Container;
  const changed = { ...spec, containers: [...gated, added], volumes: [...volumes, ...sidecarVolumes(ours)] };
  return { type: "changed", pod: { ...pod, spec: changed as Pod["spec"] & object } };
}

interface Gate {
  readonly shared: string;
  readonly entrypoint: readonly string[];
  /** Its probes have been changed before. */
  readonly isPatient: boolean;
}

function behindGate(container: Container, { shared, entrypoint, isPatient }: Gate): Container {
  const { command = [], volumeMounts = [] } = container;
  const paths = volumeMounts.map(({ mountPath }) => mountPath.replace(/\/+$/, ""));
  const mountPath = free(gateFolder, paths);
  return {
    ...container,
    command: waitThen(command.length > 0 ? command : entrypoint, mountPath),
    volumeMounts: [...volumeMounts, { name: shared, mountPath }],
    ...(isPatient ? {} : patientProbes(container)),
  };
}

/** The name, with a number behind it if it is taken. */
function free(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 1;
  while (taken.includes(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

function readEntrypoint(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return imageEntrypoint;
  if (text.startsWith("/")) return [text];
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string");
  return isCommand ? (words as string[]) : undefined;
}

/** As the sidecar's flag `--timeout` reads it. */
function isDuration(text: string): boolean {
  return /^[0-9]{1,6}[smh]$/.test(text) && !/^0+[smh]$/.test(text);
}

function unchanged(reason: string): Injection {
  return { type: "unchanged", reason };
}

function refused(annotation: string, message: string): Injection {
  return { type: "refused", field: `metadata.annotations[${annotation}]`, message };
}
