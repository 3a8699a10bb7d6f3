import type { Admission, Review } from "../../src/domain/workload-partitioning/admission.ts";
import { admitPod } from "../../src/domain/workload-partitioning/pod/admit-pod.ts";
import { containersOf } from "../../src/domain/workload-partitioning/pod/pod.ts";
import { validatePod } from "../../src/domain/workload-partitioning/pod/validate-pod.ts";
import { pod as podKind } from "../../src/embedded/apiserver/kinds/core/pod/pod.ts";
import { create } from "../../src/embedded/apiserver/kinds/testing/run-strategy.ts";
import { type Container, qosClass } from "../../src/language/cpu/qos-class.ts";
import { cpuForCores, cpuShares, millicores } from "../../src/language/cpu/shares.ts";
import { clone, deepFreeze, equal } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

type Context = Omit<Review, "object">;
type Stored = ReturnType<typeof create>;

const annotation = (pod: KubeObject, container: string): string =>
  pod.metadata.annotations?.[`resources.workload.openshift.io/${container}`] ?? "";

/** What admission must keep, whatever the pod. Many releases answer alike, so that pods to store are checked only once. */
export class PodProperties {
  readonly #before: KubeObject;
  /** The workload resource that the pod asks for. */
  readonly #cores: string;
  readonly #stored = new Map<string, Stored>();

  /** A pod that the API server accepts, with its defaults. */
  constructor(before: KubeObject) {
    const prefix = "target.workload.openshift.io/";
    const target = Object.keys(before.metadata.annotations ?? {}).find((key) => key.startsWith(prefix)) ?? prefix;
    this.#before = before;
    this.#cores = `${target.slice(prefix.length)}.workload.openshift.io/cores`;
  }

  /** The rule that decided, and the first property that does not hold. */
  check(context: Context): { readonly rule: string; readonly fault?: string | undefined } {
    const first = admitPod({ ...context, object: this.#before });
    return { rule: first.rule, fault: first.type === "refused" ? undefined : this.#faultIn(first, context) };
  }

  #faultIn(first: Admission, context: Context): string | undefined {
    const after = deepFreeze(first.object);
    const { object: stored, faults } = this.#store(after);
    if (faults.length > 0) return `the API server refuses it: ${faults.join("; ")}`;
    const isMoved = first.rule === "rewritten";
    const asked = isMoved ? this.#withoutAddedCpu(this.#before) : this.#before;
    const qos = qosOf(this.#before) === "Guaranteed" ? qosClass(asked.spec as object) : qosOf(this.#before);
    if (qosOf(stored) !== qos) return `class ${qos} became ${qosOf(stored)}`;
    if (this.#millicores(after) !== this.#millicores(asked)) return "CPU is not accounted for";
    const second = admitPod({ ...context, object: stored });
    if (second.type !== "unchanged") return `a second admission changes it: ${second.rule}`;
    return isMoved ? this.#faultInRewritten(after, context) : undefined;
  }

  #faultInRewritten(after: KubeObject, context: Context): string | undefined {
    const [problem] = validatePod({ ...context, object: after }).problems;
    if (problem) return `it is not valid: ${problem.message}`;
    // CRI-O gives the least there is to a pod without CPU and memory, and CPU that is added would give it a class.
    if (qosOf(this.#store(after).object) === "BestEffort") return undefined;
    const again = admitPod({ ...context, object: deepFreeze(this.#withDefaultCpu(after)) });
    if (!equal(again.object, after)) return `CPU that LimitRanger adds changes it: ${again.rule}`;
    const wrong = containersOf(after).find(({ name, resources: { requests = {}, limits = {} } = {} }) => {
      const asked = requests[this.#cores];
      if (asked === undefined) return false;
      const told = toldBy(annotation(after, name));
      const isShared = told?.shares === cpuShares(millicores(cpuForCores(asked)));
      const limit = context.release.limitAndRequest === "carried" ? this.#limitOf(name) : 0n;
      const isLimited = told?.limit === limit;
      return !isShared || !isLimited || "cpu" in requests || "cpu" in limits || limits[this.#cores] !== asked;
    });
    return wrong && `container ${wrong.name} has other shares than cores, or another limit than it came with`;
  }

  #store(pod: KubeObject): Stored {
    const key = JSON.stringify([pod.metadata, pod.spec]);
    const known = this.#stored.get(key) ?? create(podKind, { metadata: pod.metadata, spec: pod.spec });
    this.#stored.set(key, known);
    return known;
  }

  /** Of all containers, as CPU or as cores, rounded up one by one. */
  #millicores(pod: KubeObject): bigint {
    return containersOf(pod).reduce((sum, { resources: { requests = {} } = {} }) => {
      const { cpu, [this.#cores]: cores } = requests;
      return sum + millicores(cpu ?? (cores === undefined ? "0" : cpuForCores(cores)));
    }, 0n);
  }

  /** Where the annotation for CRI-O agrees with cores, an earlier admission wrote both, and CPU was added later. */
  #toldBefore(pod: KubeObject, { name, resources }: Container): Told | undefined {
    const cores = resources?.requests?.[this.#cores];
    const told = toldBy(annotation(pod, name));
    return cores !== undefined && told?.shares === cpuShares(millicores(cpuForCores(cores))) ? told : undefined;
  }

  /** In millicores, 0 for none: as the container came, or as an earlier admission wrote it. */
  #limitOf(container: string): bigint {
    const came = containersOf(this.#before).find(({ name }) => name === container) as Container;
    return this.#toldBefore(this.#before, came)?.limit ?? millicores(came.resources?.limits?.["cpu"] ?? "0");
  }

  #withoutAddedCpu(pod: KubeObject): KubeObject {
    const changed = clone(pod);
    for (const container of mutableContainers(changed)) {
      if (!this.#toldBefore(pod, container)) continue;
      delete container.resources.requests?.cpu;
      delete container.resources.limits?.cpu;
    }
    return changed;
  }

  /** LimitRanger gives containers without CPU the default of the namespace, before webhooks are called again. */
  #withDefaultCpu(pod: KubeObject): KubeObject {
    const changed = clone(pod);
    for (const { resources } of mutableContainers(changed))
      if (this.#cores in (resources.requests ?? {})) {
        resources.requests = { ...resources.requests, cpu: "77m" };
        resources.limits = { ...resources.limits, cpu: "99m" };
      }
    return changed;
  }
}

/** What CRI-O is told of a container. */
interface Told {
  readonly shares: bigint;
  readonly limit: bigint;
}

function toldBy(text: string): Told | undefined {
  const [, shares, limit = "0"] = /^\{"cpushares": ?([0-9]+)(?:,"cpulimit": ?([0-9]+))?\}$/.exec(text) ?? [];
  return shares === undefined ? undefined : { shares: BigInt(shares), limit: BigInt(limit) };
}

interface MutableContainer {
  readonly name: string;
  readonly resources: { requests?: Record<string, string>; limits?: Record<string, string> };
}

const mutableContainers = (pod: KubeObject): readonly MutableContainer[] =>
  containersOf(pod) as readonly MutableContainer[];

const qosOf = (pod: KubeObject): string => (pod.status as { qosClass: string }).qosClass;
