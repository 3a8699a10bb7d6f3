import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import {
  deferredAnnotation,
  generatedAnnotation,
  inputsAnnotation,
  profileKind,
  tunedKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import type { Condition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { Observation } from "./fixture.ts";

const nodes = untyped("v1", "Node", "nodes", false);
const daemonSets = untyped("apps/v1", "DaemonSet", "daemonsets", true);
const clusterOperators = untyped("config.openshift.io/v1", "ClusterOperator", "clusteroperators", false);

export type Observed = Required<Omit<Observation, "timing" | "carried" | "annotations">> & {
  /** Of each Profile. */
  carried: Record<string, string[]>;
  annotations: Record<string, Record<string, string>>;
};

/** The state of the cluster, in the form of the scenarios. */
export async function observe(client: Client): Promise<Observed> {
  const list = async <T extends KubeObject>(of: KindRef<T>, place = {}): Promise<T[]> =>
    (await client.list(of, place)).items;
  const [profiles, tuneds, machineConfigs, agents, operators, all] = await Promise.all([
    list(profileKind, { namespace }),
    list(tunedKind, { namespace }),
    list(machineConfigKind),
    list(daemonSets, { namespace }),
    list(clusterOperators),
    list(nodes),
  ]);
  const byName = <T extends KubeObject, V>(objects: readonly T[], of: (object: T) => V): Record<string, V> =>
    Object.fromEntries(objects.map((object) => [object.metadata.name ?? "", of(object)]));
  const named = new Set(profiles.map(({ metadata }) => metadata.name));
  return {
    profiles: byName(profiles, ({ spec: { config } }) => {
      const { tunedProfile, ...options } = config;
      const given = Object.entries(options).filter(([, value]) => !isEmpty(value));
      return given.length === 0 ? tunedProfile : { profile: tunedProfile, ...Object.fromEntries(given) };
    }),
    carried: byName(profiles, ({ spec }) => (spec.profile ?? []).map(({ name }) => name)),
    texts: Object.fromEntries(
      profiles.flatMap(({ spec }) => (spec.profile ?? []).map(({ name, data }) => [name, data])),
    ),
    annotations: byName(profiles, ({ metadata: { annotations = {} } }) =>
      Object.fromEntries(
        [deferredAnnotation, inputsAnnotation].flatMap((name) =>
          name in annotations ? [[name.replace(/^.*\//, ""), annotations[name] ?? ""]] : [],
        ),
      ),
    ),
    without: all.map(({ metadata }) => metadata.name ?? "").filter((name) => !named.has(name)),
    tuneds: byName(tuneds, ({ metadata, status }) => ({
      generation: metadata.generation ?? 0,
      ...conditionsOf(status?.conditions, ["Valid"]),
    })),
    operator: conditionsOf(
      (operators[0] as { status?: { conditions?: Condition[] } } | undefined)?.status?.conditions,
      ["Available", "Progressing", "Degraded"],
    ),
    daemonSet: agents.length > 0,
    machineConfigs: byName(machineConfigs, ({ metadata: { labels, annotations }, spec }) => ({
      ...(labels ? { labels } : {}),
      arguments: spec?.kernelArguments ?? null,
      ...(annotations && generatedAnnotation in annotations ? { generated: true } : {}),
    })),
  };
}

function conditionsOf(conditions: readonly Condition[] | undefined, types: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    types.flatMap((type) => {
      const found = conditions?.find((condition) => condition.type === type);
      return found ? [[type, `${found.status} ${found.reason}`]] : [];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}
