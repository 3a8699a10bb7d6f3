import { formatTime } from "../../../../language/object/time.ts";
import { controllerOf } from "../../workloads/pods/controller-of.ts";
import { podRequests, type ResourceAmounts } from "../../workloads/scheduler/resource-amounts.ts";
import { wishesInAnnotations, wishesInFiles } from "../container/behaviour.ts";
import { isProgram, neededObjects } from "../container/container-files.ts";
import { live } from "../container/container-life.ts";
import { adoptContainer, type ContainerRun } from "../container/container-run.ts";
import { NodeReads } from "../node/node-reads.ts";
import type { Pod } from "./pod-admission.ts";
import { containersOf, restarts } from "./pod-containers.ts";
import type { PodView } from "./pod-status.ts";
import { hostIP, type Now, nowOn, type PodPlace, type PodSurroundings, retryMs } from "./pod-surroundings.ts";
import type { VirtualNode } from "../node/virtual-node.ts";
import { Wake } from "../wake.ts";

/** One pod on its node. It moves when asked to, with `step`, and tells with `view` how it stands. */
export class PodRun {
  readonly uid: string;
  readonly node: VirtualNode;
  readonly podIP: string;
  /** What it takes from its node. */
  readonly requests: ResourceAmounts;
  readonly #key: string;
  readonly #with: PodSurroundings;
  readonly #startTime: string;
  readonly #startedSince: number;
  readonly #containers: readonly ContainerRun[];
  #failure: { reason: string; message: string } | undefined;
  /** Told to end; what does not end by itself is killed at this time. */
  #killAt: number | undefined;
  #over = false;
  #mounted = false;

  constructor(key: string, pod: Pod, node: VirtualNode, podIP: string, surroundings: PodSurroundings) {
    this.#key = key;
    this.#with = surroundings;
    this.uid = pod.metadata.uid ?? "";
    this.node = node;
    this.requests = podRequests(pod.spec ?? { containers: [] });
    this.podIP = pod.spec?.hostNetwork ? hostIP : podIP;
    const now = this.#now();
    const known = pod.status?.startTime;
    this.#startTime = known ?? formatTime(now.wall);
    this.#startedSince = now.monotonic - (known ? Math.max(0, now.wall - Date.parse(known)) : 0);
    this.#containers = containersOf(pod).map(({ container, role }) => {
      const statuses = role === "main" ? pod.status?.containerStatuses : pod.status?.initContainerStatuses;
      const status = statuses?.find(({ name }) => name === container.name);
      const run = adoptContainer(container, role, status, { isProgram: isProgram(container), now });
      if (!status && role === "main" && pod.spec?.initContainers?.length) run.wait("PodInitializing");
      return run;
    });
  }

  /** Nothing runs any more, and nothing will. */
  get over(): boolean {
    return this.#over;
  }

  view(pod: Pod): PodView {
    const view = { pod, containers: this.#containers, over: this.#over, startTime: this.#startTime, hostIP };
    return { ...view, podIP: this.podIP, ...(this.#failure ? { failure: this.#failure } : {}) };
  }

  container(name: string): ContainerRun | undefined {
    return this.#containers.find((one) => one.name === name);
  }

  /** Ends everything at once: the pod is gone, or somebody else's. */
  abandon(): void {
    this.#over = true;
    for (const run of this.#containers) {
      run.program?.kill();
      run.log?.discard();
      run.previousLog?.discard();
    }
  }

  /** Tells its programs to end; resolved when they have. */
  terminate(): Promise<void>[] {
    return this.#containers.flatMap(({ program }) => {
      program?.terminate();
      return program ? [program.done] : [];
    });
  }

  /** Does what is due, and says when something will be. */
  async step(pod: Pod): Promise<number | undefined> {
    if (this.#over) return undefined;
    const wake = new Wake();
    const { monotonic } = this.#now();
    const { deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    if (deletionTimestamp) this.#stop(pod, monotonic + 1000 * deletionGracePeriodSeconds);
    this.#watchDeadline(pod, monotonic, wake);
    if (this.#killAt === undefined) await this.#advance(pod, wake);
    if (this.#killAt !== undefined) this.#finishStopping(wake);
    return wake.after(this.#now().monotonic);
  }

  #watchDeadline(pod: Pod, monotonic: number, wake: Wake): void {
    const { spec } = pod;
    const seconds = spec?.activeDeadlineSeconds;
    if (seconds === undefined || this.#failure) return;
    const due = this.#startedSince + 1000 * seconds;
    if (monotonic < due) return wake.at(due);
    this.#failure = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#stop(pod, monotonic + 1000 * (spec?.terminationGracePeriodSeconds ?? 30));
  }

  /** A later wish to end sooner is granted, one to end later is not. */
  #stop(pod: Pod, killAt: number): void {
    const isNews = this.#killAt === undefined;
    this.#killAt = Math.min(killAt, this.#killAt ?? Infinity);
    for (const run of this.#containers) {
      if (isNews && run.running) this.#with.events.stopping(pod, this.node.name, run.name);
      if (run.program) run.program.terminate();
      else run.end(143, this.#now());
    }
  }

  #finishStopping(wake: Wake): void {
    const killAt = this.#killAt ?? 0;
    const now = this.#now();
    for (const run of this.#containers.filter(({ running }) => running)) {
      if (now.monotonic < killAt) {
        wake.at(killAt);
        continue;
      }
      run.program?.kill();
      run.end(137, now);
    }
    this.#over = this.#containers.every(({ running }) => !running);
  }

  async #advance(pod: Pod, wake: Wake): Promise<void> {
    if (!(await this.#mount(pod))) return wake.at(this.#now().monotonic + retryMs);
    const used = this.node.usedHost;
    const inFiles = used ? await wishesInFiles(used, pod.metadata) : {};
    const wishes = { ...inFiles, ...wishesInAnnotations(pod.metadata) };
    const ends = pod.spec?.restartPolicy !== "Always" && controllerOf(pod)?.kind === "Job";
    const place = this.#place();
    for (const { container, role } of containersOf(pod)) {
      const run = this.container(container.name);
      if (!run) continue;
      // Deleted or out of time while something was read.
      if (place.isEnding()) return;
      await live({ pod, container, run, place, wake, behaviour: { role, ends, wishes } });
      if (role === "init" && run.ended?.exitCode !== 0) {
        if (run.ended && pod.spec?.restartPolicy === "Never") this.#finish(pod);
        return;
      }
      if (role === "sidecar" && !run.running && !this.#mainsStarted()) return;
    }
    const mains = this.#containers.filter(({ role }) => role === "main");
    if (mains.every((run) => run.ended && !restarts(pod, run.ended.exitCode))) this.#finish(pod);
  }

  #mainsStarted(): boolean {
    return this.#containers.some((run) => run.role === "main" && (run.running || run.lastEnd));
  }

  /** The pod has done its work; sidecars have none left. */
  #finish(pod: Pod): void {
    this.#stop(pod, this.#now().monotonic + 30_000);
  }

  async #mount(pod: Pod): Promise<boolean> {
    if (this.#mounted) return true;
    const { namespace = "" } = pod.metadata;
    const needed = neededObjects(pod.spec?.volumes);
    const reads = needed.length > 0 ? new NodeReads(this.#with.kubelet(this.node.name), this.#with.clock) : undefined;
    for (const { volume, kind, name } of needed) {
      if (await reads?.data(kind, namespace, name)) continue;
      const message = `MountVolume.SetUp failed for volume "${volume}" : ${kind.toLowerCase()} "${name}" not found`;
      this.#with.events.warn(pod, this.node.name, "FailedMount", message);
      return false;
    }
    this.#mounted = true;
    return true;
  }

  #place(): PodPlace {
    return {
      key: this.#key,
      node: this.node,
      podIP: this.podIP,
      surroundings: this.#with,
      isEnding: () => this.#over || this.#killAt !== undefined,
    };
  }

  #now(): Now {
    return nowOn(this.#with.clock);
  }
}
