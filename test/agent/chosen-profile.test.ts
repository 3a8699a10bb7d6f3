import { describe, expect, test } from "vitest";
import { agentDaemonSet } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, type Deferred, deferredAnnotation, type Profile } from "../../src/domain/node-tuning/api.ts";
import { containerFiles, type MountInput } from "../../src/embedded/lab/kubelet/container/container-files.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import { NodeEngines } from "../../src/node/on-node/node-engines.ts";
import { NodeTuner } from "../../src/node/on-node/node-tuner.ts";
import { type LogFields, noLog } from "../../src/cluster/runtime/log/log.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import type { Outcome } from "../../src/node/host/host.ts";

/** What tools of the Go operator read by `kubectl exec` in the pod of an agent. */
const chosen = "/etc/tuned/recommend.d/50-openshift.conf";

class FullHost extends MemoryHost {
  override async replace(path: string, text: string): Promise<Outcome> {
    if (!path.includes("/recommend.d/")) return super.replace(path, text);
    return { type: "failed", code: "EROFS", message: "read-only file system (EROFS)" };
  }
}

function node(Host = MemoryHost): { tuner: NodeTuner; inPod: () => Promise<unknown>; warned: LogFields[] } {
  const host = new Host(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "boot-0\n"],
      ["/proc/sys/vm/swappiness", "60\n"],
    ]),
  );
  const warned: LogFields[] = [];
  const engines = new NodeEngines({ host, option: "native" });
  const log = { ...noLog, warn: (fields: LogFields) => void warned.push(fields) };
  const tuner = new NodeTuner({ node: "n", host, engines, clock: new VirtualClock(), resyncIntervalMs: 1, log });
  const agent = { namespace: "x", image: "y", serviceAccount: "z", release: "" };
  const daemonSet = agentDaemonSet(agent, undefined) as unknown as { spec: { template: MountInput["pod"] } };
  const { template: pod } = daemonSet.spec;
  const files = containerFiles({ pod, container: pod.spec?.containers[0], node: { host } } as unknown as MountInput);
  return { tuner, inPod: () => files.read(chosen), warned };
}

function profile(name: string, mode?: Deferred): Profile {
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", ...(mode ? { annotations: { [deferredAnnotation]: mode } } : {}) },
    spec: { config: { tunedProfile: name }, profile: [{ name, data: `[sysctl]\nvm.swappiness=${name.length}\n` }] },
  };
}

describe("the file with the chosen profile in an agent's pod", () => {
  test("follows the Profile, and goes with it", async () => {
    const { tuner, inPod } = node();
    expect(await inPod()).toEqual({ type: "missing" });
    await tuner.tune(profile("p"));
    expect(await inPod()).toEqual({ type: "text", text: "[p]\n" });
    await tuner.tune(profile("qq"));
    expect(await inPod()).toEqual({ type: "text", text: "[qq]\n" });
    await tuner.release();
    expect(await inPod()).toEqual({ type: "missing" });
  });

  test("names a profile that is deferred: it is chosen, but not yet in force", async () => {
    const { tuner, inPod } = node();
    await tuner.tune(profile("p"));
    expect(await tuner.tune(profile("qq", "always"))).toMatchObject({ outcome: { type: "deferred" } });
    expect(await inPod()).toEqual({ type: "text", text: "[qq]\n" });
  });

  test("names no profile that another line could be read from", async () => {
    const { tuner, inPod } = node();
    await tuner.tune(profile("p"));
    await tuner.tune(profile("p]\n[q"));
    expect(await inPod()).toEqual({ type: "text", text: "[p]\n" });
  });

  test("does not keep a node from being tuned where it cannot be written", async () => {
    const { tuner, warned } = node(FullHost);
    expect(await tuner.tune(profile("p"))).toMatchObject({ outcome: { type: "applied" } });
    expect(warned).toMatchObject([{ error: expect.stringContaining("EROFS") as string }]);
  });
});
