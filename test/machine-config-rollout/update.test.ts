import { expect, test } from "vitest";
import { findCondition } from "../../src/language/object/condition.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

test.each(emptyServers())(
  "files, a unit and boot arguments reach a node with one reboot, and removing them costs one more, on the $name server",
  async ({ start }) => {
    const cluster = await RolloutCluster.start({ nodes: { worker: ["a"] }, start });
    await cluster.apply("50-base", "worker", withFiles(file("/etc/base.conf", "base")));
    cluster.startOperator();
    await cluster.updated("worker", ["50-base"]);
    const before = cluster.reboots()["a"] ?? 0;
    const unit = "[Service]\nType=oneshot\nEnvironment=OFFLINE_CPUS=3\nExecStart=/usr/local/bin/set-cpus-offline.sh\n";
    const contents = `${unit}[Install]\nWantedBy=multi-user.target\n`;
    await cluster.apply("60-own", "worker", {
      config: {
        ignition: { version: "3.2.0" },
        storage: {
          files: [file("/etc/own.conf", "x"), file("/usr/local/bin/set-cpus-offline.sh", "#!/bin/sh\n", 0o700)],
        },
        systemd: { units: [{ name: "off.service", enabled: true, contents }] },
      },
      kernelArguments: ["nohz_full=2-3"],
      extensions: ["usbguard"],
    });
    await cluster.updated("worker", ["50-base", "60-own"]);
    const message = '"the node lacks packages of extensions: usbguard" (a)';
    await cluster.until("the pool says what its node lacks", async () => {
      const findings = findCondition((await cluster.pool("worker")).status?.conditions, "NodeFindings");
      return findings?.status === "True" && findings.message === message;
    });
    expect(await cluster.text("a", "/etc/own.conf")).toBe("x");
    expect(await cluster.text("a", "/proc/cmdline")).toMatch(/ nohz_full=2-3\n$/);
    expect(await cluster.text("a", "/sys/devices/system/cpu/nohz_full")).toBe("2-3\n");
    expect(await cluster.text("a", "/sys/devices/system/cpu/online")).toBe("0-2\n");
    expect(cluster.reboots()).toEqual({ a: before + 1 });

    await cluster.remove("60-own");
    await cluster.updated("worker", ["50-base"]);
    expect(await cluster.text("a", "/etc/own.conf")).toBeUndefined();
    expect(await cluster.text("a", "/proc/cmdline")).not.toContain("nohz_full");
    expect(await cluster.text("a", "/sys/devices/system/cpu/online")).toBe("0-3\n");
    expect(cluster.reboots()).toEqual({ a: before + 2 });
  },
);
