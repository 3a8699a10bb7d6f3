import { contentsOf } from "../../../language/ignition/file-contents.ts";
import { filesOf } from "../../../language/ignition/config.ts";
import {
  fromLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  nothing,
} from "../../../language/object/label-selector.ts";
import type { MachineConfig, MachineConfigPool } from "../api.ts";
import type { TargetPool } from "./generated-kind.ts";

/** A selector of pools. An absent or empty one selects none: an object for every pool by mistake would change all nodes. */
export type PoolSelector =
  | { readonly type: "labels"; readonly selector: LabelSelector }
  | { readonly type: "invalid"; readonly message: string };

export function poolSelector(selector: LabelSelectorObject | null | undefined): PoolSelector {
  try {
    const read = fromLabelSelector(selector);
    return { type: "labels", selector: read.requirements.length > 0 ? read : nothing };
  } catch (error) {
    // Objects of other owners are not validated: besides unknown operators, parts may have any type.
    return { type: "invalid", message: error instanceof Error ? error.message : String(error) };
  }
}

const controlPlaneRoles = ["node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"];

export interface LabelledPool extends TargetPool {
  readonly labels: Readonly<Record<string, string>>;
}

/** Pools by name, with what the MachineConfigs that are not `isGenerated` say about their files. */
export function targetPools(
  pools: readonly MachineConfigPool[],
  machineConfigs: readonly MachineConfig[],
  isGenerated: (name: string) => boolean,
): readonly LabelledPool[] {
  const others = machineConfigs
    .filter(({ metadata }) => !isGenerated(metadata.name ?? ""))
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const filesAt = remembering((path: string) =>
    others.flatMap(({ metadata, spec }) => {
      const file = filesOf(spec?.config).findLast((one) => one.path === path);
      return file ? [{ labels: metadata.labels, file }] : [];
    }),
  );
  return pools
    .map((pool) => {
      const name = pool.metadata.name ?? "";
      const roles = Object.keys(pool.spec?.nodeSelector?.matchLabels ?? {});
      const configs = poolSelector(pool.spec?.machineConfigSelector);
      return {
        name,
        labels: pool.metadata.labels ?? {},
        isControlPlane: name === "master" || roles.some((role) => controlPlaneRoles.includes(role)),
        textOf: remembering((path: string): string | undefined => {
          if (configs.type === "invalid") return undefined;
          const last = filesAt(path).findLast(({ labels }) => matchesLabels(configs.selector, labels));
          return last && contentsOf(last.file);
        }),
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Hundreds of pools ask for the same few files. */
function remembering<T>(find: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, find(path));
    return known.get(path) as T;
  };
}
