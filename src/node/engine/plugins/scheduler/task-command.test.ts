import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LinuxHost } from "../../../host/linux-host.ts";
import type { Action } from "../../action.ts";
import { carryOut } from "../../carry-out.ts";
import { setTaskCpus, setTaskPolicy, type TaskName } from "./task-command.ts";

const host = new LinuxHost();
const canRun = ["taskset", "chrt"].every((name) => existsSync(`/usr/bin/${name}`));

describe.skipIf(!canRun)("Tasks of this very machine", () => {
  let child: ChildProcess;
  let task: TaskName;

  beforeEach(async () => {
    child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const fields = (await read("stat")).split(") ")[1]?.split(" ") ?? [];
    task = { tid: child.pid ?? 0, start: fields[19] ?? "" };
  });

  afterEach(() => {
    child.kill("SIGKILL");
  });

  async function read(name: string): Promise<string> {
    const file = await host.read(`/proc/${child.pid}/${name}`);
    return file.type === "text" ? file.text : "";
  }

  async function cpus(): Promise<string | undefined> {
    return /^Cpus_allowed_list:\s*(.*)$/m.exec(await read("status"))?.[1];
  }

  async function policy(): Promise<string | undefined> {
    return (await read("stat")).split(") ")[1]?.split(" ")[38];
  }

  const run = (...actions: Action[]) => carryOut(actions, host);

  it("run on the CPUs they are given, and afterwards on those they had", async () => {
    const before = (await cpus()) ?? "";
    const first = /^[0-9]+/.exec(before)?.[0] ?? "0";
    expect(await run(setTaskCpus(task, first))).toEqual({ type: "done" });
    expect(await cpus()).toBe(first);
    expect(await run(setTaskCpus(task, before))).toEqual({ type: "done" });
    expect(await cpus()).toBe(before);
  });

  it("run by the policy they are given", async () => {
    expect(await run(setTaskPolicy(task, "b", 0))).toEqual({ type: "done" });
    expect(await policy()).toBe("3");
    expect(await run(setTaskPolicy(task, "o", 0))).toEqual({ type: "done" });
    expect(await policy()).toBe("0");
  });

  it("are not touched for one that had their number before", async () => {
    expect(await run(setTaskPolicy({ ...task, start: "1" }, "b", 0))).toEqual({ type: "done" });
    expect(await policy()).toBe("0");
  });

  it("may have ended", async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(await run(setTaskCpus(task, "0"))).toEqual({ type: "done" });
  });

  it("that cannot be changed are no failure among others that can", async () => {
    const impossible = setTaskCpus(task, "65000");
    expect(await run(impossible, setTaskPolicy(task, "b", 0))).toEqual({ type: "done" });
    expect(await policy()).toBe("3");
    const outcome = await run(impossible);
    expect(outcome).toMatchObject({ type: "failed", message: expect.stringContaining("exit code 1") });
    // The message is for a condition: the script is not part of it.
    expect(outcome.type === "failed" && outcome.message).not.toContain("/stat");
  });
});
