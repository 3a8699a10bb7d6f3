import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configKinds } from "../../src/domain/hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../../src/domain/hosted/envelope/read-manifests.ts";
import {
  type Profile,
  profileKind,
  type Protocol,
  type Tuned,
  tunedKind,
  tuningNamespace,
} from "../../src/domain/node-tuning/api.ts";
import { clusterOperatorKind } from "../../src/domain/node-tuning/node-tuning-controller.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { controlPlane, type TwoClusters } from "./two-clusters.ts";

const depsAnnotation = "tuned.openshift.io/bootcmdline-deps";

/** What both clusters have, in the form of the recordings. */
export async function observe({ management, hosted }: TwoClusters, protocol: Protocol): Promise<unknown> {
  const place = { namespace: tuningNamespace };
  const [tuneds, profiles, configMaps, status] = await Promise.all([
    hosted.client.list(tunedKind, place),
    hosted.client.list(profileKind, place),
    management.client.list(kinds.configMap, { namespace: controlPlane }),
    operatorStatus(hosted.client),
  ]);
  const isShipped = protocol === "shipped";
  return {
    tuneds: byName(tuneds.items, reducedTuned),
    profiles: byName(profiles.items, (one) => reducedProfile(one, isShipped)),
    configMaps: byName(
      configMaps.items.filter(({ metadata: { name = "" } }) => name.startsWith("nto-mc-") || name === "other"),
      (one) => reducedConfigMap(one as ConfigMap),
    ),
    clusterOperator: status,
  };
}

async function operatorStatus(client: TwoClusters["hosted"]["client"]): Promise<object> {
  try {
    const { status } = await client.get(clusterOperatorKind, "node-tuning");
    return Object.fromEntries(
      ["Available", "Degraded"].flatMap((type) => {
        const found = findCondition(status?.conditions, type);
        return found ? [[type, `${found.status} ${found.reason}`]] : [];
      }),
    );
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}

function byName<T extends KubeObject>(objects: readonly T[], reduce: (object: T) => object): object {
  return Object.fromEntries(objects.map((object) => [object.metadata.name, reduce(object)])) as object;
}
function reducedTuned({ metadata, spec }: Tuned): object {
  const { generation, labels = {}, annotations = {} } = metadata;
  const own =
    metadata.name === "default"
      ? {}
      : {
          profiles: (spec?.profile ?? []).map(({ name }) => name),
          recommend: (spec?.recommend ?? []).map(reducedRule),
        };
  return {
    generation,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...own,
    ...(spec?.managementState ? { managementState: spec.managementState } : {}),
  };
}

/** Recordings leave out false and empty values. */
function reducedRule({ operand, ...rule }: NonNullable<NonNullable<Tuned["spec"]>["recommend"]>[number]): object {
  const { tunedConfig: _, ...shown } = operand ?? {};
  return { ...rule, ...(Object.keys(shown).length > 0 ? { operand: shown } : {}) };
}

function reducedProfile({ spec, metadata }: Profile, isShipped: boolean): object {
  const { tunedProfile, debug, verbosity } = spec.config;
  return {
    profile: tunedProfile,
    ...(isShipped ? { deps: metadata.annotations?.[depsAnnotation] } : {}),
    ...(debug ? { config: { debug, verbosity } } : {}),
  };
}

function reducedConfigMap(configMap: ConfigMap): object {
  const { labels = {}, annotations = {} } = configMap.metadata;
  const [found] = readManifests(configMap, ["config"], configKinds).manifests;
  const { kind, metadata, spec } = (found?.object ?? {}) as {
    kind?: string;
    metadata?: KubeObject["metadata"];
    spec?: { kernelArguments?: string[] };
  };
  const config = found
    ? {
        kind,
        name: metadata?.name,
        annotations: metadata?.annotations,
        kernelArguments: spec?.kernelArguments ?? [],
        files: [],
        units: [],
      }
    : { raw: configMap.data?.["config"] };
  return { labels, annotations, data: { config } };
}
