import { wholeUpdate } from "../../src/cluster/runtime/act/whole-object.ts";
import { bootConfigMaps } from "../../src/domain/hosted/boot-arguments.ts";
import { configKinds } from "../../src/domain/hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { mirrorTuneds } from "../../src/domain/hosted/mirror/mirror-tuneds.ts";
import type { Mirrored, MirrorProblem } from "../../src/domain/hosted/mirror/read-tuneds.ts";
import { poolScopes } from "../../src/domain/hosted/pool-rules.ts";
import { protocols } from "../../src/domain/hosted/protocol.ts";
import { type Profile, type Protocol, type Tuned, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { poolArguments, trusted } from "../../src/domain/node-tuning/boot/boot-arguments.ts";
import { poolsOfTuneds } from "../../src/domain/node-tuning/boot/boot-decision.ts";
import { Pools } from "../../src/domain/machine-config/pools.ts";
import { defaultTuned } from "../../src/domain/node-tuning/default-tuned.ts";
import { judge } from "../../src/domain/node-tuning/judge.ts";
import { inputsOf, type NodeFacts } from "../../src/domain/node-tuning/node-profile.ts";
import { equal } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { configMapOf, type NodeReport, patched, type RecordedCase, type RecordedChange } from "./cases.ts";

const depsAnnotation = "tuned.openshift.io/bootcmdline-deps";
const bootAnnotation = "tuned.openshift.io/bootcmdline";

/** The two clusters of an `op-` case, and the decisions of the operator between them. */
export class OperatorWorld {
  readonly configMaps = new Map<string, ConfigMap>();
  readonly tuneds = new Map<string, Tuned>();
  readonly nodes = new Map<string, NodeFacts>();
  readonly profiles = new Map<string, Profile>();
  problems: readonly MirrorProblem[] = [];
  readonly #protocol: Protocol;
  #lastGood: ReadonlyMap<string, Mirrored> | undefined;
  #isStopped = false;

  constructor(recorded: RecordedCase<unknown>, protocol: Protocol) {
    this.#protocol = protocol;
    for (const { name, labels } of recorded.nodes ?? []) this.#addNode(name, labels);
    for (const { configMap } of recorded.objects)
      if (configMap) this.configMaps.set(configMap.name, configMapOf(configMap));
  }

  #addNode(name: string, labels: Record<string, string> = {}): void {
    const metadata = { name, labels: { "kubernetes.io/os": "linux", ...labels } };
    this.nodes.set(name, { apiVersion: "v1", kind: "Node", metadata });
  }

  change(change: RecordedChange): void {
    const { create, patch, merge = {}, nodeSide = [], operator } = change;
    if (operator) this.#isStopped = operator === "stop";
    // It remembers nothing.
    if (operator) this.#lastGood = undefined;
    if (create?.configMap) this.configMaps.set(create.configMap.name, configMapOf(create.configMap));
    if (create?.object) this.#create(create.object);
    if (patch) this.#patch(patch, merge);
    if (change.delete) this.#delete(change.delete);
    for (const report of nodeSide) this.#report(report);
  }

  #create(object: KubeObject): void {
    const { name = "", labels } = object.metadata;
    if (object.kind === "Node") this.#addNode(name, labels);
    else if (object.kind === "Tuned") this.#store(object);
    else if (object.kind === "Profile") this.profiles.set(name, object as Profile);
    else throw new Error(`create ${object.kind}`);
  }

  #mapOf(kind: string): Map<string, KubeObject> {
    const maps: Record<string, Map<string, KubeObject>> = {
      ConfigMap: this.configMaps,
      Tuned: this.tuneds,
      Node: this.nodes,
      Profile: this.profiles,
    };
    return maps[kind] ?? new Map();
  }

  #patch(target: string, merge: Record<string, unknown>): void {
    const [kind = "", name = ""] = target.split("/");
    const map = this.#mapOf(kind);
    const before = map.get(name);
    if (!before) return;
    const after = patched(before, merge);
    if (kind === "Tuned") this.#store(after);
    else map.set(name, after);
  }

  #delete(target: string): void {
    const [kind = "", name = ""] = target.split("/");
    this.#mapOf(kind).delete(name);
    if (kind === "Node") this.profiles.delete(name);
  }

  /** As an API server does: the generation counts changes of the spec. */
  #store(tuned: Tuned): void {
    const { name = "" } = tuned.metadata;
    const before = this.tuneds.get(name);
    const generation = (before?.metadata.generation ?? 0) + (equal(before?.spec, tuned.spec) ? 0 : 1);
    this.tuneds.set(name, { ...tuned, metadata: { ...tuned.metadata, generation, uid: `uid-${name}` } });
  }

  #report({ node, status, bootcmdline, deps }: NodeReport): void {
    const profile = this.profiles.get(node);
    const found = this.nodes.get(node);
    if (!profile || !found) return;
    const annotations = { ...found.metadata.annotations };
    const inputs = { current: inputsOf(profile.spec), absent: undefined }[deps ?? ""] ?? deps;
    const now = { ...profile.status, tunedProfile: profile.status?.tunedProfile ?? profile.spec.config.tunedProfile };
    if (status)
      Object.assign(now, {
        tunedProfile: profile.spec.config.tunedProfile,
        ...status,
        conditions: [{ type: "Applied", status: status.applied, reason: "", message: "" }],
      });
    if (bootcmdline !== undefined) Object.assign(now, { bootcmdline });
    if (deps !== undefined) Object.assign(now, { bootcmdlineInputs: deps === "absent" ? undefined : inputs });
    if (bootcmdline !== undefined) annotations[bootAnnotation] = bootcmdline;
    if (deps === "current") annotations[depsAnnotation] = profile.metadata.annotations?.[depsAnnotation] ?? "";
    else if (deps === "absent") delete annotations[depsAnnotation];
    else if (deps !== undefined) annotations[depsAnnotation] = deps;
    this.profiles.set(node, { ...profile, status: now });
    this.nodes.set(node, { ...found, metadata: { ...found.metadata, annotations } });
  }

  /** Decides and executes until nothing changes. */
  settle(): void {
    if (this.#isStopped) return;
    for (let pass = 0; pass < 10; pass++) if (!this.#pass()) return;
    throw new Error("never settles");
  }

  #pass(): boolean {
    const before = JSON.stringify(this.#state());
    this.#keepDefault();
    const mirror = mirrorTuneds({
      configMaps: [...this.configMaps.values()],
      tuneds: [...this.tuneds.values()],
      namespace: tuningNamespace,
      lastGood: this.#lastGood,
    });
    this.#lastGood = mirror.lastGood;
    this.problems = mirror.problems;
    for (const { object } of mirror.objects) this.#write(object);
    for (const { metadata } of mirror.prunes) this.#prune(metadata.name ?? "");
    // Profiles are decided once the hosted cluster has them.
    if (before === JSON.stringify(this.#state())) this.#decideProfiles(mirror.tuneds);
    return before !== JSON.stringify(this.#state());
  }

  #state(): unknown {
    const maps = [this.configMaps, this.tuneds, this.nodes, this.profiles];
    return maps.map((map: ReadonlyMap<string, unknown>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Node tuning owns the profiles and rules of `default`. */
  #keepDefault(): void {
    const shipped = defaultTuned(tuningNamespace);
    const found = this.tuneds.get("default");
    this.#store(found ? { ...found, spec: { ...found.spec, ...shipped.spec } } : shipped);
  }

  #write(wanted: Tuned): void {
    const observed = this.tuneds.get(wanted.metadata.name ?? "");
    const update = observed ? wholeUpdate(wanted, observed, { exactMetadata: true }) : wanted;
    if (!update) return;
    if (observed?.metadata.deletionTimestamp) this.tuneds.delete(wanted.metadata.name ?? "");
    else this.#store(update);
  }

  #prune(name: string): void {
    const found = this.tuneds.get(name);
    if (!found?.metadata.finalizers?.length) this.tuneds.delete(name);
    else this.#store({ ...found, metadata: { ...found.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  }

  #decideProfiles(tuneds: readonly Tuned[]): void {
    const around = { agent: { release: "4.22.0" }, protocol: this.#protocol, namespace: tuningNamespace };
    const scopes = poolScopes(tuneds, [...this.nodes.values()]);
    const pools = scopes.flatMap((scope) => {
      const judged = judge({ ...scope, ...around, profiles: [...this.profiles.values()] });
      for (const { node, undecided } of judged.chosen) if (!undecided) this.#writeProfile(node.wanted);
      const nodes = judged.chosen.map(({ node }) => node);
      return poolArguments(nodes, judged.pools, this.#protocol, trusted);
    });
    for (const name of this.profiles.keys()) if (!this.nodes.has(name)) this.profiles.delete(name);
    const { wanted, orphaned } = bootConfigMaps({
      pools,
      wanted: new Set(
        scopes.flatMap((scope) => [...poolsOfTuneds(scope.tuneds, new Pools(scope.pools ?? [])).values()].flat()),
      ),
      observed: [...this.configMaps.values()],
      namespace: "clusters-demo",
      version: "0.0.1",
      protocol: protocols[this.#protocol],
    });
    for (const configMap of wanted) this.#writeConfigMap(configMap);
    for (const { metadata } of orphaned) this.configMaps.delete(metadata.name ?? "");
  }

  #writeProfile(wanted: Profile): void {
    const { name = "" } = wanted.metadata;
    const found = this.profiles.get(name);
    this.profiles.set(name, found ? { ...wanted, status: found.status } : wanted);
  }

  #writeConfigMap(wanted: ConfigMap): void {
    const { name = "" } = wanted.metadata;
    const found = this.configMaps.get(name);
    const update = found ? wholeUpdate(wanted, found) : wanted;
    if (update) this.configMaps.set(name, update);
  }

  /** In the form of the recordings. */
  observed(): unknown {
    const isShipped = this.#protocol === "shipped";
    return {
      tuneds: Object.fromEntries(Array.from(this.tuneds, ([name, tuned]) => [name, reducedTuned(tuned)])),
      profiles: Object.fromEntries(Array.from(this.profiles, ([name, one]) => [name, reducedProfile(one, isShipped)])),
      configMaps: Object.fromEntries(
        Array.from(this.configMaps)
          .filter(([name]) => name.startsWith("nto-mc-") || name === "other")
          .map(([name, configMap]) => [name, reducedConfigMap(configMap)]),
      ),
    };
  }
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
