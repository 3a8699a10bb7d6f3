import type { Container } from "kubernetes-types/core/v1.js";
import type { Client } from "../../kube/client.ts";
import type { Cluster } from "../../kube/connection.ts";
import { formatTime } from "../../object/time.ts";
import type { Clock } from "../../runtime/clock.ts";
import { controllerOf } from "../workloads/pods/controller-of.ts";
import { podRequests, type ResourceAmounts } from "../workloads/scheduler/resource-amounts.ts";
import { behaviourOf, wishesInAnnotations, wishesInFiles } from "./behaviour.ts";
import { isProgram, neededObjects } from "./container-files.ts";
import { ContainerLog, type LogBudget } from "./container-log.ts";
import { adoptContainer, type ContainerRun } from "./container-run.ts";
import { environmentOf, readsForEnvironment } from "./environment.ts";
import { nodeStatus } from "./node-object.ts";
import { NodeReads } from "./node-reads.ts";
import type { Pod } from "./pod-admission.ts";
import { containersOf, goDuration, restarts } from "./pod-containers.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodView } from "./pod-status.ts";
import type { Program } from "./program.ts";
import { startProgram } from "./start-program.ts";
import type { VirtualNode } from "./virtual-node.ts";
import { Wake } from "./wake.ts";

/** What all pods of a process are run with. */
export interface PodSurroundings {
  /** As the kubelet of this node. */
  readonly kubelet: (node: string) => Client;
  readonly cluster: Cluster;
  readonly program?: Program;
  readonly clock: Clock;
  readonly budget: LogBudget;
  readonly events: PodEvents;
  /** Something happened to the pod by itself. */
  readonly changed: (key: string) => void;
}

const hostIP = "127.0.0.1";
/** How long before something that a pod lacks is looked for again. */
const retryMs = 5000;

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
    for (const { container, role } of containersOf(pod)) {
      const run = this.container(container.name);
      if (!run) continue;
      // Deleted or out of time while something was read.
      if (this.#over || this.#killAt !== undefined) return;
      await this.#live({ pod, container, run, wake, behaviour: { role, ends, wishes } });
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
    const reads = needed.length > 0 ? this.#reads() : undefined;
    for (const { volume, kind, name } of needed) {
      if (await reads?.data(kind, namespace, name)) continue;
      const message = `MountVolume.SetUp failed for volume "${volume}" : ${kind.toLowerCase()} "${name}" not found`;
      this.#with.events.warn(pod, this.node.name, "FailedMount", message);
      return false;
    }
    this.#mounted = true;
    return true;
  }

  /** Brings one container as far as it gets now. */
  async #live(life: ContainerLife): Promise<void> {
    const { pod, run, wake } = life;
    for (;;) {
      if (run.running) {
        if (run.program) run.ready = life.behaviour.wishes.ready !== "false";
        else this.#behave(life);
        if (run.running) return;
      }
      const ended = run.lastEnd;
      if (!ended) {
        if (!(await this.#start(life))) return;
        continue;
      }
      if (run.role === "init" ? ended.exitCode === 0 : run.role === "main" && !restarts(pod, ended.exitCode)) return;
      if (run.role === "init" && pod.spec?.restartPolicy === "Never") return;
      const { monotonic } = this.#now();
      const wait = run.restartIn(monotonic);
      if (wait > 0) {
        const { name, namespace, uid } = pod.metadata;
        const where = `${name}_${namespace}(${uid})`;
        const message = `Back-off restarting failed container ${run.name} in pod ${where}`;
        if (run.ended) this.#with.events.warn(pod, this.node.name, "BackOff", message);
        const times = `back-off ${goDuration(run.backOffMs)} restarting failed container=${run.name}`;
        run.wait("CrashLoopBackOff", `${times} pod=${where}`);
        return wake.at(monotonic + wait);
      }
      if (!(await this.#start(life))) return;
      run.grow();
    }
  }

  /** A container that runs no program of ours does as it is told. */
  #behave({ run, wake, behaviour: input }: ContainerLife): void {
    const behaviour = behaviourOf(input);
    const { exitCode, runMs, message } = behaviour;
    run.ready = input.role !== "init" && behaviour.ready;
    if (exitCode === undefined) return;
    const due = run.since + runMs;
    const now = this.#now();
    if (now.monotonic < due) return wake.at(due);
    if (message) this.#log(run).write(message);
    run.end(exitCode, now, { message });
    run.ready = input.role === "init" && exitCode === 0;
  }

  /** False when something it needs is missing. */
  async #start({ pod, container, run, wake }: ContainerLife): Promise<boolean> {
    const program = isProgram(container) ? this.#with.program : undefined;
    const started = (): void => {
      run.started(this.#now());
      this.#with.events.started(pod, this.node.name, container.image);
    };
    if (!program && !readsForEnvironment(container)) {
      started();
      return true;
    }
    const { cluster, clock } = this.#with;
    const allocatable = nodeStatus(this.node, { port: 0, now: 0 }).allocatable as Record<string, string>;
    const reads = this.#reads();
    const input = { pod, container, reads, hostIP, podIP: this.podIP, allocatable, server: cluster.server };
    const environment = await environmentOf(input);
    if (this.#over || this.#killAt !== undefined) return false;
    if (environment.type === "blocked") {
      run.wait("CreateContainerConfigError", environment.message);
      this.#with.events.warn(pod, this.node.name, "Failed", `Error: ${environment.message}`);
      wake.at(this.#now().monotonic + retryMs);
      return false;
    }
    started();
    if (!program) return true;
    const { variables } = environment;
    run.program = startProgram({
      ...input,
      program,
      node: this.node,
      client: this.#with.kubelet(this.node.name),
      cluster,
      variables,
      clock,
      log: this.#log(run),
      ended: (exitCode) => {
        run.end(exitCode, this.#now());
        this.#with.changed(this.#key);
      },
    });
    return true;
  }

  #log(run: ContainerRun): ContainerLog {
    run.log ??= new ContainerLog(this.#with.clock, this.#with.budget);
    return run.log;
  }

  #reads(): NodeReads {
    return new NodeReads(this.#with.kubelet(this.node.name), this.#with.clock);
  }

  #now(): { wall: number; monotonic: number } {
    const { clock } = this.#with;
    return { wall: clock.now(), monotonic: clock.monotonic() };
  }
}

interface ContainerLife {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: ContainerRun;
  readonly wake: Wake;
  readonly behaviour: Parameters<typeof behaviourOf>[0];
}
