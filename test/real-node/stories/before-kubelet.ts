import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ParsedUnit, parseUnit } from "../../../src/language/ignition/unit-text.ts";
import { LinuxHost } from "../../../src/node/host/linux-host.ts";
import { keepOneShot } from "../../../src/node/on-node/before-kubelet/keep-one-shot.ts";
import { processesOf, readyPods } from "../harness/attune-pods.ts";
import { eventually } from "../harness/eventually.ts";
import type { Machine } from "../harness/machine.ts";
import { setTo, sharedSysctl, type Stage } from "../harness/stage.ts";

const value = `/proc/sys/${sharedSysctl.replaceAll(".", "/")}`;

/** The node has no systemd: these are the lines of the unit, in its order. */
function runLines(machine: Machine, unit: ParsedUnit): void {
  const service = unit.get("Service");
  try {
    for (const key of ["ExecStartPre", "ExecStart"]) for (const line of service?.get(key) ?? []) runLine(machine, line);
  } finally {
    for (const line of service?.get("ExecStopPost") ?? []) runLine(machine, line);
  }
}

function runLine(machine: Machine, line: string): void {
  const limited = ["timeout", "60", ...line.replace(/^-/, "").split(" ")];
  if (!line.startsWith("-")) return void machine.run(...limited);
  machine.run("sh", "-c", '"$@" || true', "sh", ...limited);
}

export function beforeKubeletStory(stage: () => Stage): void {
  test("a restarted node is tuned from its record while the kubelet does not run, with the agent's image", async () => {
    const { cluster, figures, image } = stage();
    const { machine, services } = cluster;
    await setTo(stage(), "2900");
    const [agent] = await readyPods(cluster, "agent", 1);
    const host = new LinuxHost(machine.outside("/"));
    expect(await keepOneShot(host, image)).toBeUndefined();
    const text = await host.read("/etc/systemd/system/attune-one-shot.service");
    const unit = parseUnit(text.type === "text" ? text.text : "");
    services.kubelet.signal("STOP");
    try {
      const processes = processesOf(cluster, agent!);
      machine.run("kill", "-KILL", ...processes.map(String));
      await eventually(30, "the agent has ended", () =>
        processes.every((pid) => !existsSync(machine.outside(`/proc/${pid}`))),
      );
      // Twice: the second run finds what one that was cut off has left.
      for (const left of ["nothing", "a mount and a container"]) {
        writeFileSync(value, "3000");
        const began = performance.now();
        runLines(machine, unit);
        expect([left, cluster.sysctl(sharedSysctl)]).toEqual([left, "2900"]);
        if (left === "nothing") figures.addSeconds("the unit that tunes a restarted node before its kubelet", began);
        for (const line of unit.get("Service")?.get("ExecStartPre") ?? []) runLine(machine, line);
      }
      for (const line of unit.get("Service")?.get("ExecStopPost") ?? []) runLine(machine, line);
      expect(machine.run("ctr", "--namespace=k8s.io", "containers", "ls")).not.toContain("attune-one-shot");
      expect(machine.run("cat", "/proc/mounts")).not.toContain("attune-one-shot");
    } finally {
      services.kubelet.signal("CONT");
    }
    await eventually(
      120,
      "the next agent, which may place no units in this mode, takes it away",
      async () => (await host.stat("/etc/systemd/system/attune-one-shot.service")).type === "missing",
    );
    await eventually(60, "that agent is ready", () => readyPods(cluster, "agent", 1));
  });
}
