import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { daemonArgv, type DaemonEvent, Supervisor } from "./supervisor.ts";
import { FakeDaemon } from "./testing/fake-daemon.ts";

let daemon: FakeDaemon;
let clock: VirtualClock;
let stop: AbortController;
let events: DaemonEvent[];
let supervisor: Supervisor;

beforeEach(() => {
  daemon = new FakeDaemon();
  clock = new VirtualClock();
  stop = new AbortController();
  events = [];
  supervisor = new Supervisor({
    launch: daemon.launch,
    timer: clock,
    signal: stop.signal,
    onEvent: (event) => events.push(event),
  });
});

/** As TuneD does when all goes well. */
function willing(profile: string): (to: string) => void {
  return (to) => {
    if (to === "SIGTERM") return daemon.exit(0);
    daemon.load(profile);
    daemon.applied(profile);
  };
}

describe("a profile", () => {
  test("is applied when TuneD logs so, with the errors before", async () => {
    daemon.answer = () => {
      daemon.load("p");
      daemon.log("ERROR", "units.manager", "failed to initialize plugin foo");
      daemon.say("Traceback (most recent call last):");
      daemon.log("WARNING", "plugins.base", "instance x: no matching devices available");
      daemon.log("INFO", "plugins.plugin_sysctl", "Overriding sysctl parameter 'vm.x' from '1' to '2'");
      daemon.applied("p");
    };
    const { type, round } = await supervisor.start("p");
    expect(type).toBe("applied");
    expect(round.errors).toMatchObject([{ message: "failed to initialize plugin foo", details: [expect.anything()] }]);
    expect(round.warnings).toMatchObject([{ message: "instance x: no matching devices available" }]);
    expect(round.overrides).toEqual([{ parameter: "vm.x", from: "1", to: "2" }]);
  });

  test("of another name does not end the wait", async () => {
    daemon.answer = () => daemon.applied("other");
    const outcome = supervisor.start("p");
    await clock.advance(1000);
    daemon.applied("p");
    expect((await outcome).type).toBe("applied");
  });

  test.each([
    "Cannot set initial profile. No tunings will be enabled: Requested profile 'p' doesn't exist.",
    "Failed to reload TuneD: Requested profile 'p' doesn't exist.",
  ])("is refused: %s", async (words) => {
    daemon.answer = (to) => (to === "SIGTERM" ? daemon.exit(0) : daemon.log("ERROR", "daemon.controller", words));
    expect(await supervisor.start("p")).toMatchObject({
      type: "refused",
      message: "Requested profile 'p' doesn't exist.",
    });
    expect(supervisor.running).toBe(false);
  });

  test("that hangs is given up after the timeout, and the daemon killed (W-15)", async () => {
    const outcome = supervisor.start("p");
    await clock.advance(59_999);
    expect(daemon.received).toEqual([]);
    await clock.advance(1);
    expect(await outcome).toMatchObject({
      type: "hung",
      message: "TuneD did not apply the profile within 60 s and was killed",
    });
    expect(daemon.received).toEqual(["SIGKILL"]);
    await clock.advance(3_600_000);
    expect(daemon.starts).toBe(1);
  });

  test("that kills the tuning thread is not waited for", async () => {
    daemon.answer = () => {
      daemon.load("p");
      daemon.say("Exception in thread Thread-1 (_thread_code):");
    };
    const outcome = supervisor.start("p");
    await clock.advance(100);
    daemon.say("Traceback (most recent call last):");
    daemon.say("ValueError: zz");
    await clock.advance(400);
    expect(await outcome).toMatchObject({
      type: "died",
      message: "TuneD's tuning thread died: ValueError: zz",
    });
    expect(daemon.received).toEqual(["SIGKILL"]);
  });

  test("that ends the daemon is reported with its last error, and the daemon is not restarted", async () => {
    daemon.answer = () => {
      daemon.load("p");
      daemon.say("Traceback (most recent call last):");
      daemon.say("re.error: missing )");
      daemon.exit(1);
    };
    expect(await supervisor.start("p")).toMatchObject({
      type: "exited",
      message: "TuneD ended with status 1: re.error: missing )",
    });
    await clock.advance(3_600_000);
    expect(daemon.starts).toBe(1);
    expect(events).toEqual([]);
  });
});

describe("reloads", () => {
  beforeEach(async () => {
    daemon.answer = willing("p");
    await supervisor.start("p");
  });

  test("never overlap", async () => {
    daemon.answer = () => undefined;
    const first = supervisor.reload("a");
    const second = supervisor.reload("b");
    await clock.advance(100);
    expect(daemon.received).toEqual(["SIGHUP"]);
    daemon.load("a");
    daemon.applied("a");
    expect((await first).type).toBe("applied");
    await clock.advance(100);
    expect(daemon.received).toEqual(["SIGHUP", "SIGHUP"]);
    daemon.applied("b");
    expect((await second).type).toBe("applied");
  });

  test("do not blame the new profile for errors of undoing the old one", async () => {
    daemon.answer = () => {
      daemon.log("ERROR", "utils.commands", "Writing to file '/sys/x' error");
      daemon.load("a");
      daemon.applied("a");
    };
    const { round } = await supervisor.reload("a");
    expect(round.errors).toEqual([]);
    expect(round.warnings).toHaveLength(1);
  });

  test("that hang get the daemon killed", async () => {
    daemon.answer = () => undefined;
    const outcome = supervisor.reload("a");
    await clock.advance(60_000);
    expect((await outcome).type).toBe("hung");
    expect(supervisor.running).toBe(false);
  });
});

describe("a daemon that crashes", () => {
  beforeEach(async () => {
    daemon.answer = willing("p");
    await supervisor.start("p");
  });

  test("is restarted, with a longer delay each time", async () => {
    for (const [crash, wait] of [1000, 2000, 4000].entries()) {
      daemon.exit(null, "SIGSEGV");
      await clock.advance(wait - 1);
      expect(daemon.starts).toBe(crash + 1);
      await clock.advance(1);
      expect(daemon.starts).toBe(crash + 2);
    }
    expect(events.filter(({ type }) => type === "crashed")).toMatchObject([
      { message: "TuneD ended by SIGSEGV", restartInMs: 1000 },
      { restartInMs: 2000 },
      { restartInMs: 4000 },
    ]);
    expect(events.filter(({ type }) => type === "restarted")).toHaveLength(3);
  });

  test("is restarted over tuned values", async () => {
    expect(supervisor.startedOverTuned).toBe(false);
    daemon.exit(1);
    await clock.advance(1000);
    expect(supervisor.startedOverTuned).toBe(true);
  });

  test("has its delay reset after a long time without a crash", async () => {
    daemon.exit(1);
    await clock.advance(3_600_000);
    daemon.exit(1);
    await clock.advance(0);
    expect(events.findLast(({ type }) => type === "crashed")).toMatchObject({ restartInMs: 1000 });
  });

  test("is restarted until it starts", async () => {
    daemon.answer = () => daemon.exit(1);
    daemon.exit(1);
    await clock.advance(1000 + 2000 + 4000);
    expect(daemon.starts).toBe(4);
  });

  test("stays down when it is stopped before the restart", async () => {
    daemon.exit(1);
    await clock.advance(500);
    await supervisor.quiet();
    await clock.advance(3_600_000);
    expect(daemon.starts).toBe(1);
  });

  test("includes one whose thread dies after the profile was applied", async () => {
    daemon.say("Exception in thread Thread-1 (_thread_code):");
    await clock.advance(1500);
    expect(daemon.received).toEqual(["SIGKILL"]);
    expect(daemon.starts).toBe(2);
  });
});

describe("stopping", () => {
  beforeEach(async () => {
    daemon.answer = willing("p");
    await supervisor.start("p");
  });

  test("with undo lets TuneD restore the originals", async () => {
    await supervisor.stop("undo");
    expect(daemon.received).toEqual(["SIGTERM"]);
    expect(supervisor.running).toBe(false);
  });

  test("with undo waits no longer than the timeout", async () => {
    daemon.answer = () => undefined;
    const stopped = supervisor.stop("undo");
    await clock.advance(10_000);
    await stopped;
    expect(daemon.received).toEqual(["SIGTERM", "SIGKILL"]);
  });

  test("by the signal keeps all settings, and nothing is restarted (Q24)", async () => {
    stop.abort();
    await clock.advance(3_600_000);
    expect(daemon.received).toEqual(["SIGKILL"]);
    expect(daemon.starts).toBe(1);
    expect((await supervisor.start("p")).type).toBe("exited");
    expect(events).toEqual([]);
  });
});

test("an error after the profile was applied is an event", async () => {
  daemon.answer = willing("p");
  await supervisor.start("p");
  daemon.log("ERROR", "plugins.plugin_net", "no such device");
  expect(events).toMatchObject([{ type: "complaint", record: { message: "no such device" } }]);
});

test("the daemon is started without its socket (Q26)", () => {
  expect(daemonArgv).toContain("--no-socket");
});
