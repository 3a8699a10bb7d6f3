import type { Container } from "kubernetes-types/core/v1.js";
import { behaviourOf } from "./behaviour.ts";
import { hostMounts, isProgram, isScript } from "./container-files.ts";
import { ContainerLog } from "./container-log.ts";
import { type ContainerRun, restarts } from "./container-run.ts";
import { createGroup, groupOf } from "./container-group.ts";
import { containerId } from "./container-id.ts";
import { mayStart } from "./container-start.ts";
import { environmentOf, readsForEnvironment } from "./environment.ts";
import { nodeStatus } from "../node/node-object.ts";
import { NodeReads } from "../node/node-reads.ts";
import type { Pod } from "../pod/pod-admission.ts";
import { hostIP, type KubeletContext, type NextSync, nowOn, type PodContext, retryMs } from "../pod/pod-context.ts";
import { startProgram } from "./start-program.ts";
import { terminationMessage } from "./termination-message.ts";

export interface ContainerLife {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: ContainerRun;
  readonly context: PodContext;
  readonly nextSync: NextSync;
  readonly behaviour: Parameters<typeof behaviourOf>[0];
}

/** Moves one container on as far as it gets now: start, end, restart. */
export async function advanceContainer(life: ContainerLife): Promise<void> {
  const { pod, run, nextSync, context } = life;
  const { clock, events } = context.shared;
  for (;;) {
    if (run.running) {
      if (run.program) run.ready = !isScript(life.container) && life.behaviour.overrides.ready !== "false";
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
      if (run.ended) events.warn(pod, context.node.name, "BackOff", message);
      const times = `back-off ${goDuration(run.backoffMs)} restarting failed container=${run.name}`;
      run.wait("CrashLoopBackOff", `${times} pod=${where}`);
      return nextSync.at(monotonic + wait);
    }
    if (!(await start(life))) return;
    run.growBackoff();
  }
}

/** Lets a container that runs no program of ours do what its behaviour says. */
function behave({ run, nextSync, context, behaviour: input }: ContainerLife): void {
  const behaviour = behaviourOf(input);
  const { exitCode, runMs, message } = behaviour;
  run.ready = input.role !== "init" && behaviour.ready;
  if (exitCode === undefined) return;
  const due = run.since + runMs;
  const now = nowOn(context.shared.clock);
  if (now.monotonic < due) return nextSync.at(due);
  if (message) logOf(run, context.shared).write(message);
  run.end(exitCode, now, { message });
  run.ready = input.role === "init" && exitCode === 0;
}

/** False when the container may not start, a ConfigMap or Secret is missing, or the pod began to terminate. */
async function start({ pod, container, run, nextSync, context, behaviour }: ContainerLife): Promise<boolean> {
  const { node, podIP, shared } = context;
  const { cluster, clock, events, kubelet } = shared;
  const refused = (reason: string, message: string): false => {
    run.wait(reason, message);
    events.warn(pod, node.name, "Failed", `Error: ${message}`);
    nextSync.at(clock.monotonic() + retryMs);
    return false;
  };
  const may = await mayStart({ pod, container, node, imageUser: behaviour.overrides["image-user"] });
  if (context.isEnding()) return false;
  if (may.type === "refused") return refused(may.reason, may.message);
  const isWait = isScript(container);
  const program = isProgram(container) || isWait ? shared.program : undefined;
  const started = (): void => {
    run.started(nowOn(clock));
    const id = containerId(pod.metadata.uid ?? "", run.name, run.restarts);
    const removeGroup = may.cpu && createGroup({ pod, node }, id, may.cpu);
    const podUid = pod.metadata.uid ?? "";
    const controlGroup = may.cpu && groupOf({ pod, node }, id);
    node.containers.set(id, { podUid, controlGroup, mounts: hostMounts({ pod, container }) });
    run.removeGroup = () => {
      removeGroup?.();
      node.containers.delete(id);
      node.exclusiveCpus.release(`${podUid}/${run.name}`);
    };
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
  if (context.isEnding()) return false;
  if (environment.type === "blocked") return refused("CreateContainerConfigError", environment.message);
  started();
  if (!program) return true;
  const { variables } = environment;
  run.program = startProgram({
    ...input,
    program,
    shared: context.emptyDir,
    user: may.user,
    node,
    client: kubelet(node.name),
    cluster,
    variables,
    clock,
    log: logOf(run, shared),
    ended: (exitCode) => {
      if (isWait && exitCode === 0 && run.running) run.program = undefined;
      else {
        const message = terminationMessage(container, exitCode, logOf(run, shared).lines());
        run.end(exitCode, nowOn(clock), { message });
      }
      shared.changed(context.key);
    },
  });
  return true;
}

function logOf(run: ContainerRun, { clock, budget }: KubeletContext): ContainerLog {
  run.log ??= new ContainerLog(clock, budget);
  return run.log;
}

/** `10s`, `2m40s`: as Go formats durations, in whole seconds. */
function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
