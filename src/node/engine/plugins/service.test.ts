import { expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { recordedCase } from "../testing/recorded-case.ts";

const recorded = recordedCase("26-plugin-others", "service");

test("applies and undoes as TuneD does, in reverse order", async () => {
  const result = await runCase(recorded);
  expect(outcomeOf(result)).toEqual(expectedOutcome(recorded));
  const changes = recorded.expect.apply_exec?.filter((command) => !command.includes(" is-"));
  expect(result.commands.apply).toEqual(changes);
  expect(result.commands.rollback.toSorted()).toEqual(recorded.expect.rollback_exec?.toSorted());
  expect(complaints(result).length).toBe(expectedComplaints(recorded).length);
});

const own = (profile: string, exec: Record<string, { rc: number; out?: string }>, fs: Record<string, string> = {}) => {
  const watch = ["/etc/systemd/system/foo.service.d/over.conf"];
  return runCase({ id: "own", input: { profile, fs, watch, exec }, expect: { applied: {}, rolled_back: {} } });
};

test("reports that systemd cannot be reached (Q21)", async () => {
  const result = await own("[service]\nservice.foo=stop\n", { "systemctl status": { rc: 1 } });
  expect(complaints(result)).toEqual(["service.foo: cannot reach systemd on this node"]);
});

test("refuses a name that would be an option or a path", async () => {
  const result = await own("[service]\nservice.--now=stop\nservice.../../x=stop\n", { "systemctl*": { rc: 0 } });
  expect(complaints(result)).toHaveLength(2);
  expect(result.commands.apply).toEqual([]);
});

test("does not restore a state that is neither enabled nor disabled", async () => {
  const exec = { "systemctl is-enabled*": { rc: 0, out: "static\n" }, "systemctl*": { rc: 0 } };
  const result = await own("[service]\nservice.foo=enable\n", exec);
  expect(result.commands).toMatchObject({ apply: ["systemctl enable foo"], rollback: [] });
});

test.each(["", "not-found\n"])("has nothing to stop where the unit does not exist (%j)", async (out) => {
  const exec = {
    "systemctl status": { rc: 0 },
    "systemctl is-enabled*": { rc: 1, out },
    "systemctl is-active*": { rc: 3, out: "inactive\n" },
    "systemctl*": { rc: 5 },
  };
  const stopped = await own("[service]\nservice.fwupd-refresh.timer=stop,disable\n", exec);
  expect(complaints(stopped)).toEqual([]);
  expect(stopped.commands).toMatchObject({ apply: [], rollback: [] });
  // A unit that should run and does not exist is a failure.
  expect(complaints(await own("[service]\nservice.stalld=start,enable\n", exec))).toHaveLength(2);
});

test("adds a drop-in file for a unit and removes it again", async () => {
  const fs = { "/etc/tuned/profiles/a/over.conf": "[Service]\nNice=1\n" };
  const profile = "[service]\nservice.foo=file:${i:PROFILE_DIR}/over.conf\n";
  const result = await own(profile, { "systemctl*": { rc: 0 } }, fs);
  expect(Object.values(result.applied)).toEqual(["[Service]\nNice=1\n"]);
  expect(Object.values(result.rolledBack)).toEqual([null]);
  expect(result.commands.apply).toEqual(["systemctl daemon-reload"]);
});
