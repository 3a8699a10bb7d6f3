import type { KindRef } from "../../../cluster/kube/client.ts";
import { kinds, untyped } from "../../../cluster/kube/kinds.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { equal, type Json } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { otherDeployment } from "../../operator/rbac.ts";

/** What the version operator of OpenShift keeps as its release says, except for its overrides. */
export interface ClusterVersion extends KubeObject {
  spec?: { overrides?: Override[] | null } & Record<string, unknown>;
}

interface Override {
  kind: string;
  group: string;
  namespace: string;
  name: string;
  unmanaged: boolean;
}

export const clusterVersionKind = untyped(
  "config.openshift.io/v1",
  "ClusterVersion",
  "clusterversions",
  false,
) as KindRef<ClusterVersion>;
export const clusterVersionName = "version";

interface Operation {
  readonly op: "add" | "remove" | "test";
  readonly path: string;
  readonly value?: Json;
}

/** One patch of one object. */
export interface Step {
  readonly because: string;
  readonly of: Pick<KindRef, "apiVersion" | "kind" | "plural" | "namespaced">;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly operations: readonly Operation[];
}

export interface Installed {
  /** Undefined where the cluster is not OpenShift. */
  readonly clusterVersion: ClusterVersion | undefined;
  /** The operator that Attune replaces. */
  readonly other: OperatorDeployment | undefined;
  readonly attune: OperatorDeployment | undefined;
}

type OperatorDeployment = KubeObject & { readonly spec?: { readonly replicas?: number } | undefined };

/** As many as `attune install` has. */
const operatorReplicas = 2;

const override: Override = {
  kind: "Deployment",
  group: "apps",
  namespace: tuningNamespace,
  name: otherDeployment,
  unmanaged: true,
};

/** What is left to do until Attune manages the nodes. The version operator comes first: it would undo the rest. */
export function takeOverSteps({ clusterVersion, other, attune }: Installed): Step[] {
  return [
    ...(other ? overrideStep(clusterVersion) : []),
    ...scaleStep(other, 0, "the other operator stops"),
    ...scaleStep(attune, operatorReplicas, "the operator of Attune starts"),
  ];
}

/** What is left to do until the other operator manages the nodes again. */
export function undoSteps({ clusterVersion, other, attune }: Installed): Step[] {
  return [
    ...scaleStep(attune, 0, "the operator of Attune stops; the agents keep the nodes tuned"),
    ...scaleStep(other, 1, "the other operator starts"),
    ...removalStep(clusterVersion),
  ];
}

function scaleStep(deployment: OperatorDeployment | undefined, value: number, because: string): Step[] {
  const { name = "", namespace } = deployment?.metadata ?? {};
  const runs = (deployment?.spec?.replicas ?? 1) > 0;
  if (!deployment || runs === value > 0) return [];
  return [
    { because, of: kinds.deployment, name, namespace, operations: [{ op: "add", path: "/spec/replicas", value }] },
  ];
}

/** Adds to the overrides of others. Each patch tests what it was made for, so that a change in between fails it. */
function overrideStep(clusterVersion: ClusterVersion | undefined): Step[] {
  if (!clusterVersion) return [];
  const overrides = clusterVersion.spec?.overrides ?? [];
  const index = overrides.findIndex(isOurs);
  if (overrides[index]?.unmanaged) return [];
  const because = "the version operator leaves this Deployment alone; with an override OpenShift refuses minor updates";
  if (index >= 0) return [onVersion(because, [...expected(overrides), set(`/${index}/unmanaged`, true)])];
  if (overrides.length > 0) return [onVersion(because, [...expected(overrides), set("/-", { ...override })])];
  return [onVersion(because, [set("", [{ ...override }])])];
}

function removalStep(clusterVersion: ClusterVersion | undefined): Step[] {
  const overrides = clusterVersion?.spec?.overrides ?? [];
  const index = overrides.findIndex(isOurs);
  if (index < 0) return [];
  const because = "the version operator manages this Deployment again, and updates are possible";
  const path = `/spec/overrides${overrides.length === 1 ? "" : `/${index}`}`;
  return [onVersion(because, [...expected(overrides), { op: "remove", path }])];
}

function isOurs({ unmanaged: _, ...of }: Override): boolean {
  const { unmanaged: __, ...ours } = override;
  return equal(of, ours);
}

function expected(overrides: readonly Override[]): Operation[] {
  return [{ op: "test", path: "/spec/overrides", value: overrides as unknown as Json }];
}

function set(path: string, value: Json): Operation {
  return { op: "add", path: `/spec/overrides${path}`, value };
}

function onVersion(because: string, operations: readonly Operation[]): Step {
  return { because, of: clusterVersionKind, name: clusterVersionName, operations };
}
