import { fnv32a } from "../../src/language/object/hash.ts";
import type { Json } from "../../src/language/object/json.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";

const prefix = "hypershift.openshift.io/";
const copied = "performance.operator.openshift.io/";

interface State {
  conditions: Record<string, Record<string, { status: string; reason?: string; message?: string }>>;
  configMaps: Record<string, ReducedConfigMap>;
}

interface ReducedConfigMap {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  data?: Record<string, unknown>;
}

/** What was recorded, in the names of a column. `refers`: whether a NodePool refers to tuning at the moment. */
export function inColumn(state: Json, protocol: Protocol, refers: (nodePool: string) => boolean): unknown {
  const { conditions, configMaps } = structuredClone(state) as unknown as State;
  if (protocol === "shipped") return { conditions, configMaps };
  return {
    conditions: Object.fromEntries(
      Object.entries(conditions).map(([pool, all]) => [
        pool,
        withApplied(all, refers(pool) && hasProfile(pool, configMaps)),
      ]),
    ),
    configMaps: Object.fromEntries(Object.entries(configMaps).map(([name, one]) => documentedConfigMap(name, one))),
  };
}

function hasProfile(pool: string, configMaps: State["configMaps"]): boolean {
  return Object.values(configMaps).some(
    ({ labels }) => labels?.[`${prefix}performanceprofile-config`] === "true" && labels[`${prefix}nodePool`] === pool,
  );
}

/** One condition instead of four. */
function withApplied(all: State["conditions"][string], hasOne: boolean): object {
  const rest = Object.entries(all).filter(([type]) => !type.startsWith(copied));
  const of = (type: string): State["conditions"][string][string] | undefined => all[`${copied}${type}`];
  const found = [of("Degraded"), of("Progressing")].find((one) => one?.status === "True");
  const applied = found
    ? { status: "False", reason: found.reason, message: found.message }
    : of("Available")?.status === "True"
      ? { status: "True", reason: "AsExpected" }
      : { status: "False" };
  return { ...Object.fromEntries(rest), ...(hasOne ? { PerformanceProfileAppliedSuccessfully: applied } : {}) };
}

function documentedConfigMap(name: string, configMap: ReducedConfigMap): [string, object] {
  const { labels = {}, data = {} } = configMap;
  const pool = labels[`${prefix}nodePool`] ?? "";
  const { tuning, ...others } = data;
  if (tuning === undefined) return [name, configMap];
  if (labels[`${prefix}performanceprofile-config`] === "true") {
    const profile = tuning as { name: string; labels?: object };
    const embedded = {
      ...profile,
      name: `${profile.name}-${fnv32a(pool)}`,
      labels: { ...profile.labels, [`${prefix}nodePoolName`]: pool },
    };
    return [`performanceprofile-${pool}`, { ...configMap, data: { ...others, tuned: embedded } }];
  }
  return labels[`${prefix}tuned-config`] === "true"
    ? [name, { ...configMap, data: { ...others, tuned: tuning } }]
    : [name, configMap];
}

/** Where nothing was recorded that gives a reason, only the status is compared. */
export function comparable(observed: Json, wanted: Json): unknown {
  const [ours, theirs] = [observed, wanted].map((state) => structuredClone(state) as unknown as State) as [
    State,
    State,
  ];
  const type = "PerformanceProfileAppliedSuccessfully";
  for (const [pool, conditions] of Object.entries(ours.conditions)) {
    const applied = conditions[type];
    const recorded = theirs.conditions[pool]?.[type];
    if (applied && recorded && recorded.reason === undefined) conditions[type] = { status: applied.status };
  }
  return ours;
}
