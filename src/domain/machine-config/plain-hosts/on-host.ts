import type { MachineContents } from "../machine-contents.ts";
import { plainPath } from "../kubelet-config/kubelet-files.ts";
import { containerdHandlers, crioFolder } from "./containerd-handlers.ts";
import type { HostFacts } from "./host-facts.ts";
import { pinningFile, refusedPartitioning } from "./partitioning-on-host.ts";
import { kubeletOnHost } from "./kubelet-on-host.ts";

/** The contents as this host needs them, and what it cannot have. */
export interface HostContents {
  readonly contents: MachineContents;
  readonly findings: readonly string[];
}

/**
 * Contents are the same for all nodes of a pool; how a host configures its kubelet and its container runtime is its own. Files
 * for them are added. What this host has no way for is a finding, so that users see what the node lacks.
 */
export function onHost(contents: MachineContents, facts: HostFacts): HostContents {
  const parts = [kubeletOnHost(contents, facts.kubelet), containerdHandlers(contents, facts.runtime)];
  const added = parts.flatMap(({ files }) => files);
  const paths = new Set(contents.files.map(({ path }) => path));
  const files = [...contents.files, ...added.filter(({ path }) => !paths.has(path))];
  return {
    contents: { ...contents, files },
    findings: [
      ...parts.flatMap((part) => part.findings),
      ...unreadAnchors(contents, facts),
      ...unreadImagePolicies(contents, facts),
      ...refusedPartitioning(contents, facts.runtime),
    ],
  };
}

/** Whether `onHost` needs any facts. */
export function dependsOnHost({ files }: MachineContents): boolean {
  const paths = [plainPath, pinningFile, ...imagePolicyPaths];
  return files.some(
    ({ path }) => paths.includes(path) || path.startsWith(crioFolder) || path.startsWith(anchorsFolder),
  );
}

/** Of containers/image, which CRI-O pulls with. */
const imagePolicyPaths = ["/etc/containers/registries.conf", "/etc/containers/policy.json"];

function unreadImagePolicies({ files }: MachineContents, { runtime }: HostFacts): string[] {
  const paths = files.map(({ path }) => path).filter((path) => imagePolicyPaths.includes(path));
  if (runtime.type !== "containerd" || paths.length === 0) return [];
  return [`images of pods are pulled without ${paths.join(" and ")}: this node runs containerd, and CRI-O reads them`];
}

const anchorsFolder = "/etc/pki/ca-trust/source/anchors/";

function unreadAnchors({ files }: MachineContents, { readsAnchors }: HostFacts): string[] {
  const anchors = files.map(({ path }) => path).filter((path) => path.startsWith(anchorsFolder));
  if (readsAnchors || anchors.length === 0) return [];
  return [`nothing on this host reads the authorities in ${anchors.join(", ")}: it has no update-ca-trust`];
}
