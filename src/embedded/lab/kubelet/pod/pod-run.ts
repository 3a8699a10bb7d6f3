import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { formatTime, parseTime } from "../../../../language/object/time.ts";
import { controllerOf } from "../../workloads/pods/controller-of.ts";
import { podRequests, type ResourceAmounts } from "../../workloads/scheduler/resource-amounts.ts";
import { overridesInAnnotations, overridesInFiles } from "../container/behaviour.ts";
import { isProgram, isScript, neededObjects } from "../container/container-files.ts";
import { cpuOf, createGroup } from "../container/container-group.ts";
import { containerId } from "../container/container-id.ts";
import { advanceContainer } from "../container/container-life.ts";
import { adoptContainer, containersOf, type ContainerRun, restarts } from "../container/container-run.ts";
import { SharedFiles } from "../container/shared-files.ts";
import { NodeReads } from "../node/node-reads.ts";
import type { Pod } from "./pod-admission.ts";
import type { PodView } from "./pod-status.ts";
import { hostIP, type KubeletContext, NextSync, type Now, nowOn, type PodContext, retryMs } from "./pod-context.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

export interface PodStart {
  readonly key: string;
  readonly pod: Pod;
  readonly node: VirtualNode;
  /** Not used by a pod on the host network. */
  readonly podIP: string;
  readonly shared: KubeletContext;
}

/** One pod on its node. `step` does what is due, `view` is its state. */
export class PodRun {
  readonly uid: string;
  readonly node: VirtualNode;
  readonly podIP: string;
  /** What it requests of its node. */
  readonly requests: ResourceAmounts;
  readonly #key: string;
  readonly #shared: KubeletContext;
  readonly #startTime: string;
  readonly #startedSince: number;
  readonly #containers: readonly ContainerRun[];
  #failure: { reason: string; message: string } | undefined;
  /** Set once the pod terminates: programs that still run at this time are killed. */
  #killAt: number | undefined;
  #over = false;
  #mounted = false;
  #removeSandbox: (() => void) | undefined;
  readonly #emptyDirs = new Map<string, SharedFiles>();

  constructor({ key, pod, node, podIP, shared }: PodStart) {
    this.#key = key;
    this.#shared = shared;
    this.uid = pod.metadata.uid ?? "";
    this.node = node;
    this.requests = podRequests(pod.spec ?? { containers: [] });
    this.podIP = pod.spec?.hostNetwork ? hostIP : podIP;
    const now = this.#now();
    const known = pod.status?.startTime;
    this.#startTime = known ?? formatTime(now.wall);
    this.#startedSince = now.monotonic - (known ? Math.max(0, now.wall - Date.parse(known)) : 0);
    const hasBooted = (status: ContainerStatus | undefined): boolean =>
      (parseTime(String(status?.state?.running?.startedAt)) ?? node.bootedAt) < node.bootedAt;
    this.#containers = containersOf(pod).map(({ container, role }) => {
      const statuses = role === "main" ? pod.status?.containerStatuses : pod.status?.initContainerStatuses;
      const status = statuses?.find(({ name }) => name === container.name);
      const run = adoptContainer(container, role, status, {
        isLost: isProgram(container) || isScript(container) || hasBooted(status),
        now,
      });
      if (!status && role === "main" && pod.spec?.initContainers?.length) run.wait("PodInitializing");
      return run;
    });
  }

  /** No container runs, and none will be started. */
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

  /** Kills all programs: the pod is deleted, or another lab runs its node. */
  abandon(): void {
    this.#over = true;
    for (const run of this.#containers) {
      run.program?.kill();
      run.removeGroup?.();
      run.log?.discard();
      run.previousLog?.discard();
    }
    this.#removeSandbox?.();
  }

  /** Sends SIGTERM to its programs; resolved when they have ended. */
  terminate(): Promise<void>[] {
    return this.#containers.flatMap(({ program }) => {
      program?.terminate();
      return program ? [program.done] : [];
    });
  }

  /** Does what is due. Returns the milliseconds until something will be. */
  async step(pod: Pod): Promise<number | undefined> {
    if (this.#over) return undefined;
    const nextSync = new NextSync();
    const { monotonic } = this.#now();
    const { deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    if (deletionTimestamp) this.#stop(pod, monotonic + 1000 * deletionGracePeriodSeconds);
    this.#watchDeadline(pod, monotonic, nextSync);
    if (this.#killAt === undefined) await this.#advance(pod, nextSync);
    if (this.#killAt !== undefined) this.#finishStopping(nextSync);
    return nextSync.after(this.#now().monotonic);
  }

  #watchDeadline(pod: Pod, monotonic: number, nextSync: NextSync): void {
    const { spec } = pod;
    const seconds = spec?.activeDeadlineSeconds;
    if (seconds === undefined || this.#failure) return;
    const due = this.#startedSince + 1000 * seconds;
    if (monotonic < due) return nextSync.at(due);
    this.#failure = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#stop(pod, monotonic + 1000 * (spec?.terminationGracePeriodSeconds ?? 30));
  }

  /** A second call may only bring the end forward. */
  #stop(pod: Pod, killAt: number): void {
    const isFirst = this.#killAt === undefined;
    this.#killAt = Math.min(killAt, this.#killAt ?? Infinity);
    for (const run of this.#containers) {
      if (isFirst && run.running) this.#shared.events.stopping(pod, this.node.name, run.name);
      if (run.program) run.program.terminate();
      else run.end(143, this.#now());
    }
  }

  #finishStopping(nextSync: NextSync): void {
    const killAt = this.#killAt ?? 0;
    const now = this.#now();
    for (const run of this.#containers.filter(({ running }) => running)) {
      if (now.monotonic < killAt) {
        nextSync.at(killAt);
        continue;
      }
      run.program?.kill();
      run.end(137, now);
    }
    this.#over = this.#containers.every(({ running }) => !running);
    if (this.#over) this.#removeSandbox?.();
  }

  async #advance(pod: Pod, nextSync: NextSync): Promise<void> {
    if (!(await this.#mount(pod))) return nextSync.at(this.#now().monotonic + retryMs);
    const used = this.node.usedHost;
    const inFiles = used ? await overridesInFiles(used, pod.metadata) : {};
    const overrides = { ...inFiles, ...overridesInAnnotations(pod.metadata) };
    const ends = pod.spec?.restartPolicy !== "Always" && controllerOf(pod)?.kind === "Job";
    const context = this.#context();
    for (const { container, role } of containersOf(pod)) {
      const run = this.container(container.name);
      if (!run) continue;
      // The pod may have been deleted during an await, or its deadline may have passed.
      if (context.isEnding()) return;
      await advanceContainer({ pod, container, run, context, nextSync, behaviour: { role, ends, overrides } });
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

  /** The main containers have ended for good: the sidecars are stopped. */
  #finish(pod: Pod): void {
    this.#stop(pod, this.#now().monotonic + 30_000);
  }

  async #mount(pod: Pod): Promise<boolean> {
    if (this.#mounted) return true;
    const { namespace = "" } = pod.metadata;
    const needed = neededObjects(pod.spec?.volumes);
    const reads =
      needed.length > 0 ? new NodeReads(this.#shared.kubelet(this.node.name), this.#shared.clock) : undefined;
    for (const { volume, kind, name } of needed) {
      if (await reads?.data(kind, namespace, name)) continue;
      const message = `MountVolume.SetUp failed for volume "${volume}" : ${kind.toLowerCase()} "${name}" not found`;
      this.#shared.events.warn(pod, this.node.name, "FailedMount", message);
      return false;
    }
    const found = await cpuOf({ pod, node: this.node }, "sandbox");
    const id = containerId(this.uid, "POD", 0);
    if (found.type === "cpu" && found.cpu && !this.#over)
      this.#removeSandbox = createGroup({ pod, node: this.node }, id, found.cpu);
    this.#mounted = true;
    return true;
  }

  #context(): PodContext {
    return {
      key: this.#key,
      node: this.node,
      podIP: this.podIP,
      shared: this.#shared,
      emptyDir: (volume) => {
        const known = this.#emptyDirs.get(volume) ?? new SharedFiles(() => this.#shared.clock.now());
        this.#emptyDirs.set(volume, known);
        return known;
      },
      isEnding: () => this.#over || this.#killAt !== undefined,
    };
  }

  #now(): Now {
    return nowOn(this.#shared.clock);
  }
}
