import type { Container } from "kubernetes-types/core/v1.js";
import { behaviourOf } from "./behaviour.ts";
import { isProgram } from "./container-files.ts";
import { ContainerLog } from "./container-log.ts";
import type { ContainerRun } from "./container-run.ts";
import { environmentOf, readsForEnvironment } from "./environment.ts";
import { nodeStatus } from "../node/node-object.ts";
import { NodeReads } from "../node/node-reads.ts";
import type { Pod } from "../pod/pod-admission.ts";
import { goDuration, restarts } from "../pod/pod-containers.ts";
import { hostIP, nowOn, type PodPlace, type PodSurroundings, retryMs } from "../pod/pod-surroundings.ts";
import { startProgram } from "./start-program.ts";
import type { Wake } from "../wake.ts";

export interface ContainerLife {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: ContainerRun;
  readonly place: PodPlace;
  readonly wake: Wake;
  readonly behaviour: Parameters<typeof behaviourOf>[0];
}

/** Brings one container as far as it gets now. */
export async function live(life: ContainerLife): Promise<void> {
  const { pod, run, wake, place } = life;
  const { clock, events } = place.surroundings;
  for (;;) {
    if (run.running) {
      if (run.program) run.ready = life.behaviour.wishes.ready !== "false";
      else behave(life);
      if (run.running) return;
    }
    const ended = run.lastEnd;
    if (!ended) {
      if (!(await start(life))) return;
      continue;
    }
    if (run.role === "init" ? ended.exitCode === 0 : run.role === "main" && !restarts(pod, ended.exitCode)) return;
    if (run.role === "init" && pod.spec?.restartPolicy === "Never") return;
    const monotonic = clock.monotonic();
    const wait = run.restartIn(monotonic);
    if (wait > 0) {
      const { name, namespace, uid } = pod.metadata;
      const where = `${name}_${namespace}(${uid})`;
      const message = `Back-off restarting failed container ${run.name} in pod ${where}`;
      if (run.ended) events.warn(pod, place.node.name, "BackOff", message);
      const times = `back-off ${goDuration(run.backOffMs)} restarting failed container=${run.name}`;
      run.wait("CrashLoopBackOff", `${times} pod=${where}`);
      return wake.at(monotonic + wait);
    }
    if (!(await start(life))) return;
    run.grow();
  }
}

/** A container that runs no program of ours does as it is told. */
function behave({ run, wake, place, behaviour: input }: ContainerLife): void {
  const behaviour = behaviourOf(input);
  const { exitCode, runMs, message } = behaviour;
  run.ready = input.role !== "init" && behaviour.ready;
  if (exitCode === undefined) return;
  const due = run.since + runMs;
  const now = nowOn(place.surroundings.clock);
  if (now.monotonic < due) return wake.at(due);
  if (message) logOf(run, place.surroundings).write(message);
  run.end(exitCode, now, { message });
  run.ready = input.role === "init" && exitCode === 0;
}

/** False when something it needs is missing. */
async function start({ pod, container, run, wake, place }: ContainerLife): Promise<boolean> {
  const { node, podIP, surroundings } = place;
  const { cluster, clock, events, kubelet } = surroundings;
  const program = isProgram(container) ? surroundings.program : undefined;
  const started = (): void => {
    run.started(nowOn(clock));
    events.started(pod, node.name, container.image);
  };
  if (!program && !readsForEnvironment(container)) {
    started();
    return true;
  }
  const allocatable = nodeStatus(node, { port: 0, now: 0 }).allocatable as Record<string, string>;
  const reads = new NodeReads(kubelet(node.name), clock);
  const input = { pod, container, reads, hostIP, podIP, allocatable, server: cluster.server };
  const environment = await environmentOf(input);
  if (place.isEnding()) return false;
  if (environment.type === "blocked") {
    run.wait("CreateContainerConfigError", environment.message);
    events.warn(pod, node.name, "Failed", `Error: ${environment.message}`);
    wake.at(clock.monotonic() + retryMs);
    return false;
  }
  started();
  if (!program) return true;
  const { variables } = environment;
  run.program = startProgram({
    ...input,
    program,
    node,
    client: kubelet(node.name),
    cluster,
    variables,
    clock,
    log: logOf(run, surroundings),
    ended: (exitCode) => {
      run.end(exitCode, nowOn(clock));
      surroundings.changed(place.key);
    },
  });
  return true;
}

function logOf(run: ContainerRun, { clock, budget }: PodSurroundings): ContainerLog {
  run.log ??= new ContainerLog(clock, budget);
  return run.log;
}
