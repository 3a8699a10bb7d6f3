import type { Container, KeyToPath, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";
import { refusal, tidy } from "../../../../node/host/host.ts";
import type { FileText } from "../../../../node/host/host.ts";
import { fieldOf, resourceOf, type EnvironmentInput } from "./environment.ts";
import type { PodToken } from "../pod/pod-token.ts";
import type { ContainerFiles, RunningContainer } from "./program.ts";
import type { SharedFiles } from "./shared-files.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

export interface MountInput extends EnvironmentInput {
  readonly node: VirtualNode;
  /** The emptyDir of the pod with this name. */
  readonly shared: (volume: string) => SharedFiles;
  /** The token that a projected volume asks for. */
  readonly token: (wanted: { audience?: string; expirationSeconds?: number }) => PodToken;
}

/** Files of a volume by their path in it. */
type Files = ReadonlyMap<string, string>;

interface Mount {
  readonly path: string;
  readonly source: { type: "host"; path: string } | { type: "files"; read: () => Promise<Files>; below: string };
}

/** The files in the volumes of a container. Each read asks the source of the volume: files follow changes of objects. */
export function containerFiles(input: MountInput): ContainerFiles {
  const mounts = mountsOf(input);
  const find = (path: string): { mount: Mount; rest: string } | undefined => {
    const file = tidy(path);
    const mount = mounts.find((one) => one.path === "/" || file === one.path || file.startsWith(`${one.path}/`));
    return mount && { mount, rest: mount.path === "/" ? file : file.slice(mount.path.length) };
  };
  return {
    async read(path): Promise<FileText> {
      const refused = refusal(path);
      if (refused) return refused;
      const found = find(path);
      if (!found) return { type: "missing" };
      const { source } = found.mount;
      if (source.type === "host") return input.node.host.read(tidy(source.path + found.rest));
      const text = (await source.read()).get(tidy(source.below + found.rest).slice(1));
      return text === undefined ? { type: "missing" } : { type: "text", text };
    },
    async list(path): Promise<string[]> {
      const found = refusal(path) ? undefined : find(path);
      if (!found) return [];
      const { source } = found.mount;
      if (source.type === "host") return input.node.host.list(tidy(source.path + found.rest));
      const folder = tidy(source.below + found.rest).slice(1);
      const prefix = folder === "" ? "" : `${folder}/`;
      const names = new Set<string>();
      for (const file of (await source.read()).keys())
        if (file.startsWith(prefix)) names.add(file.slice(prefix.length).split("/", 1)[0] ?? "");
      return [...names].toSorted();
    },
    shared(path) {
      const mount = input.container.volumeMounts?.find(({ mountPath }) => tidy(mountPath) === tidy(path));
      const volume = input.pod.spec?.volumes?.find(({ name }) => name === mount?.name);
      return volume?.emptyDir ? input.shared(volume.name) : undefined;
    },
  };
}

/** Where the node has the volumes of a container: those of hostPath, and the folders of the pod's own. */
export function hostMounts({ pod, container }: Pick<MountInput, "pod" | "container">): RunningContainer["mounts"] {
  const own = `/var/lib/kubelet/pods/${pod.metadata.uid}/volumes`;
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath: containerPath }) => {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    if (volume?.hostPath) return [{ containerPath, hostPath: volume.hostPath.path }];
    return volume?.emptyDir ? [{ containerPath, hostPath: `${own}/kubernetes.io~empty-dir/${name}` }] : [];
  });
}

function mountsOf(input: MountInput): Mount[] {
  const volumes = new Map(input.pod.spec?.volumes?.map((volume) => [volume.name, volume]));
  return (input.container.volumeMounts ?? [])
    .flatMap(({ name, mountPath, subPath = "" }): Mount[] => {
      const volume = volumes.get(name);
      if (!volume) return [];
      const path = tidy(mountPath);
      const below = subPath === "" ? "" : `/${subPath}`;
      if (volume.hostPath) return [{ path, source: { type: "host", path: volume.hostPath.path + below } }];
      return [{ path, source: { type: "files", read: () => filesOf(volume, input), below } }];
    })
    .toSorted((a, b) => b.path.length - a.path.length);
}

async function filesOf(volume: Volume, input: MountInput): Promise<Files> {
  const files = new Map<string, string>();
  const { configMap, secret } = volume;
  if (configMap) await fromData(files, { kind: "configMap", ...configMap }, input);
  if (secret) await fromData(files, { kind: "secret", name: secret.secretName, items: secret.items }, input);
  if (volume.downwardAPI) fromPod(files, volume.downwardAPI.items, input);
  for (const source of volume.projected?.sources ?? []) await fromProjection(files, source, input);
  return files;
}

async function fromProjection(files: Map<string, string>, source: VolumeProjection, input: MountInput): Promise<void> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap) await fromData(files, { kind: "configMap", ...configMap }, input);
  if (secret) await fromData(files, { kind: "secret", ...secret }, input);
  if (downwardAPI) fromPod(files, downwardAPI.items, input);
  if (serviceAccountToken) files.set(serviceAccountToken.path, await input.token(serviceAccountToken).token());
}

interface DataSource {
  readonly kind: "configMap" | "secret";
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
}

async function fromData(
  files: Map<string, string>,
  { kind, name, items }: DataSource,
  { reads, pod }: MountInput,
): Promise<void> {
  const data = name ? await reads.data(kind, pod.metadata.namespace ?? "", name) : undefined;
  for (const [key, value] of data ?? []) {
    const path = items ? items.find((item) => item.key === key)?.path : key;
    if (path !== undefined) files.set(path, value);
  }
}

type DownwardItems = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>;

function fromPod(files: Map<string, string>, items: DownwardItems | undefined, input: MountInput): void {
  for (const { path, fieldRef, resourceFieldRef } of items ?? []) {
    const text = fieldRef
      ? fieldOf(fieldRef.fieldPath, input)
      : resourceFieldRef && resourceOf(resourceFieldRef, input);
    if (text !== undefined) files.set(path, text);
  }
}

/** The ConfigMaps and Secrets of volumes that are not optional: the pod starts once they exist. */
export function neededObjects(volumes: readonly Volume[] | undefined): NeededObject[] {
  return (volumes ?? []).flatMap(({ name: volume, configMap, secret }): NeededObject[] => {
    if (configMap?.name && !configMap.optional) return [{ volume, kind: "configMap", name: configMap.name }];
    if (secret?.secretName && !secret.optional) return [{ volume, kind: "secret", name: secret.secretName }];
    return [];
  });
}

export interface NeededObject {
  volume: string;
  kind: "configMap" | "secret";
  name: string;
}

/** `sh -c SCRIPT attune-NAME …`: `attune NAME …` stands for the script. When it ends with 0, the container goes on like any other. */
export function isScript({ command }: Container): boolean {
  return command?.[1] === "-c" && command[3]?.startsWith("attune-") === true;
}

export function isProgram({ command, args }: Container): boolean {
  const word = (command?.length ? command : args)?.[0] ?? "";
  return word === "attune" || word.endsWith("/attune");
}
