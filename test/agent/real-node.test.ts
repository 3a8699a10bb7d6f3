import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Program, type Run } from "../../src/program/cli/testing/program.ts";
import type { Profile } from "../../src/domain/node-tuning/api.ts";
import { findCondition, isTrue } from "../../src/language/object/condition.ts";
import { Machine } from "../tuned-daemon/machine.ts";
import { hasMachines, tunedPath } from "../tuned-daemon/tuned-program.ts";
import { Cluster } from "./testing/cluster.ts";
import { until } from "../node-tuning/eventually.ts";

const finTimeout = "/proc/sys/net/ipv4/tcp_fin_timeout";
const somaxconn = "/proc/sys/net/core/somaxconn";

if (!hasMachines)
  console.log("not run: the agent on a real kernel (private namespaces need root, and are not allowed)");

const applied = ({ status }: Profile): boolean => isTrue(status?.conditions, "Applied");

describe.skipIf(!hasMachines)("an agent on a real kernel", () => {
  let attune: Program;
  let machine: Machine;
  let cluster: Cluster;

  beforeAll(async () => {
    attune = await Program.build();
  });
  afterAll(() => attune?.remove());

  beforeEach(async () => {
    machine = await Machine.start();
    cluster = await Cluster.start(machine, attune);
  });
  afterEach(async () => {
    await machine.stop();
    await cluster.stop();
  });

  function agent(...options: string[]): Run {
    const words = ["agent", "--node", "n", "--kubeconfig", cluster.kubeconfig, ...options];
    return attune.start(words, {}, machine.enter);
  }

  /** By the process id in its lock, which is that of the machine. */
  function signal(name: string): void {
    const [, pid] = /lock\.([0-9]+)\./.exec(machine.run("ls", "/run/attune")) ?? [];
    machine.kill(Number(pid), name);
  }

  const values = (): string[] => [machine.read(finTimeout), machine.read(somaxconn)];

  test("tunes it, leaves it tuned when it ends, and rolls back when its Profile is deleted", async () => {
    const [, backlog = ""] = values();
    const first = agent("--engine", "native");
    cluster.wants(
      "fast",
      "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\nnet.core.somaxconn=2048\n[bootloader]\ncmdline=quiet\n",
    );
    const { status } = await cluster.status(applied);
    expect(values()).toEqual(["33", "2048"]);
    expect(status).toMatchObject({ tunedProfile: "fast", bootcmdline: "quiet" });
    expect(findCondition(status?.conditions, "Degraded")).toMatchObject({ status: "False" });

    cluster.wants("faster", "[sysctl]\nnet.ipv4.tcp_fin_timeout=22\nnet.ipv4.nosuch=1\n");
    const edited = await cluster.status(({ status }) => status?.tunedProfile === "faster");
    expect(values()).toEqual(["22", backlog]);
    expect(findCondition(edited.status?.conditions, "Degraded")).toMatchObject({
      status: "True",
      reason: "TunedError",
      message: "faster/tuned.conf:3: net.ipv4.nosuch: this node's kernel has no /proc/sys/net/ipv4/nosuch",
    });

    expect((await agent().ended).stderr).toMatch(
      /^error: another attune process \(agent or command\) tunes this node: .* process [0-9]+ is using it\n$/,
    );

    signal("TERM");
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(values()).toEqual(["22", backlog]);

    const second = agent("--engine", "native");
    await second.printed(/agent of node n/, "stderr");
    cluster.deleteProfile();
    await until(() => values()[0] === "60");
    signal("TERM");
    await second.ended;
  });

  test("survives kill -9 and changes made meanwhile, and rolls back at its end with --rollback-on-exit", async () => {
    const [, backlog = ""] = values();
    const first = agent("--engine", "native");
    cluster.wants("fast", "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\n");
    await cluster.status(applied);
    signal("KILL");
    await first.ended;
    cluster.wants("other", "[sysctl]\nnet.core.somaxconn=2048\n");
    // The status reports drift until the next check: long enough to be read on a loaded machine.
    const second = agent("--engine", "native", "--rollback-on-exit", "--resync-interval", "5s");
    await cluster.status(({ status }) => status?.tunedProfile === "other");
    expect(values()).toEqual(["60", "2048"]);

    machine.run("sh", "-c", `echo 99 >${somaxconn}`);
    const drifted = await cluster.status(({ status }) => isTrue(status?.conditions, "Drifted"));
    const message = `another process changed ${somaxconn} to "99", set back to "2048" for profile: [sysctl] net.core.somaxconn (other/tuned.conf:2)`;
    const { conditions } = drifted.status ?? {};
    expect(findCondition(conditions, "Drifted")).toMatchObject({ reason: "Repaired", message });
    expect(findCondition(conditions, "Degraded")).toMatchObject({ status: "False", reason: "TunedWarning", message });
    expect(values()).toEqual(["60", "2048"]);

    signal("TERM");
    await second.ended;
    expect(values()).toEqual(["60", backlog]);
  });

  const zram = "/sys/class/zram-control";
  const hasZram = existsSync(zram);
  if (!hasZram) console.log(`not run: a disk that appears on a real kernel (there is no ${zram})`);

  test("long before the next resync sets a written value back, and tunes a process that starts and a disk that appears", async () => {
    const first = agent("--engine", "native", "--rollback-on-exit");
    const disks = "[disk]\ndevices=!zram0,zram*\nreadahead=256\n";
    const tasks = "[scheduler]\ngroup.batch=0:b:0:*:^sleep 4242$\n";
    cluster.wants("fast", `[sysctl]\nnet.core.somaxconn=2048\n${disks}${tasks}`);
    await cluster.status(applied);

    machine.run("sysctl", "-w", "net.core.somaxconn=99");
    const { status } = await cluster.status(({ status }) => isTrue(status?.conditions, "Drifted"));
    expect(values()[1]).toBe("2048");
    expect(findCondition(status?.conditions, "Drifted")).toMatchObject({
      reason: "Repaired",
      message: `another process changed ${somaxconn} to "99", set back to "2048" for profile: [sysctl] net.core.somaxconn (fast/tuned.conf:2)`,
    });

    const pid = machine.run("sh", "-c", "sleep 4242 >/dev/null 2>&1 & echo $!");
    await until(() => machine.run("chrt", "-p", pid).includes("SCHED_BATCH"));

    if (hasZram) {
      const number = machine.read(`${zram}/hot_add`).trim();
      const readahead = `zram${number}/queue/read_ahead_kb`;
      try {
        await until(() => machine.read(`/sys/block/${readahead}`) === "256");
      } finally {
        machine.run("sh", "-c", `echo ${number} >${zram}/hot_remove`);
      }
      // With its journal entry, so that rolling back does not look for it.
      await until(() => !machine.read("/var/lib/attune/journal.json").includes(readahead));
    }
    signal("TERM");
    expect(await first.ended).toMatchObject({ code: 0 });
  });

  test.skipIf(tunedPath === undefined)(
    "uses TuneD where it can and the native engine otherwise, and rolls both back",
    async () => {
      const [, backlog = ""] = values();
      const first = agent("--resync-interval", "1s");
      cluster.wants("plain", "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\n");
      const { status } = await cluster.status(applied);
      expect(findCondition(status?.conditions, "Applied")?.message).toMatch(
        /^TuneD profile applied. Engine tuned: TuneD [0-9.]+ is installed and has everything the profile uses.$/,
      );
      expect(values()).toEqual(["33", backlog]);

      const [daemon = 0] = machine.daemons();
      machine.kill(daemon);
      await cluster.status(({ status }) =>
        String(findCondition(status?.conditions, "Degraded")?.message).includes("TuneD ended by SIGKILL"),
      );
      await cluster.status(({ status }) => findCondition(status?.conditions, "Degraded")?.reason === "AsExpected");
      expect(machine.daemons()).toHaveLength(1);
      expect(values()).toEqual(["33", backlog]);

      cluster.wants("strange", "[sysctl]\nnet.core.somaxconn=2048\n[nosuch]\nx=1\n");
      const native = await cluster.status(({ status }) => status?.tunedProfile === "strange");
      expect(findCondition(native.status?.conditions, "Applied")?.message).toMatch(
        /Engine native: TuneD [0-9.]+ lacks plug-in nosuch/,
      );
      expect(values()).toEqual(["60", "2048"]);
      expect(machine.daemons()).toEqual([]);

      cluster.wants("plain", "[sysctl]\nnet.ipv4.tcp_fin_timeout=44\n");
      await cluster.status(({ status }) => status?.tunedProfile === "plain");
      expect(values()).toEqual(["44", backlog]);
      signal("TERM");
      expect((await first.ended).stderr).not.toContain("another process changed");
      expect(machine.daemons()).toEqual([]);
      expect(values()).toEqual(["44", backlog]);

      const second = agent("--engine", "native");
      cluster.deleteProfile();
      await until(() => values()[0] === "60");
      signal("TERM");
      await second.ended;
    },
  );
});
