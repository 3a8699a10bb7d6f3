import { describe, expect, it } from "vitest";
import { list, type ListOptions } from "./list.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

const profile = (summary: string): string => `[main]\nsummary=${summary}\n`;

const profiles = {
  "/usr/lib/tuned/profiles/new": profile("2.28's layout"),
  "/usr/lib/tuned/new": profile("2.20's layout"),
  "/usr/lib/tuned/balanced": profile("The distribution's"),
  "/etc/tuned/profiles/new": profile("The administrator's"),
  "/etc/tuned/broken": "no section\n",
  "/etc/tuned/plain": "[sysctl]\n",
};

async function listed(output: ListOptions["output"]): Promise<RecordingTerminal> {
  const { path: root } = await FakeRoot.withProfiles(profiles);
  const printed = new RecordingTerminal();
  expect(await list({ root, dir: [], output }, printed)).toBe(0);
  return printed;
}

describe("attune tuned list", () => {
  it("shows the profile that wins, its folder and its first problem", async () => {
    const { lines } = await listed("table");
    expect(lines[0]).toBe("NAME | FROM | SUMMARY");
    expect(lines).toContain("new | /etc/tuned/profiles | The administrator's");
    expect(lines).toContain("balanced | /usr/lib/tuned | The distribution's");
    expect(lines).toContain("plain | /etc/tuned");
    expect(lines).toContainEqual(expect.stringMatching(/^openshift-node \| built in \| \w/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^broken \| \/etc\/tuned \| error: \/etc\/tuned\/broken\/tuned\.conf:1: /),
    );
    expect(lines.filter((line) => line.startsWith("new "))).toHaveLength(1);
  });

  it("shows hidden profiles, and by which they are hidden, with -o wide", async () => {
    const { lines } = await listed("wide");
    expect(lines.filter((line) => line.startsWith("new "))).toEqual([
      "new | /etc/tuned/profiles | The administrator's",
      "new | /usr/lib/tuned | /etc/tuned/profiles | 2.20's layout",
      "new | /usr/lib/tuned/profiles | /etc/tuned/profiles | 2.28's layout",
    ]);
  });

  it("prints names alone, sorted", async () => {
    const names = (await listed("name")).stdout.trimEnd().split("\n");
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(["balanced", "broken", "new", "openshift-node", "plain"]));
  });

  it("prints data", async () => {
    const { stdout } = await listed("json");
    expect(JSON.parse(stdout)).toContainEqual({
      name: "new",
      summary: "The administrator's",
      from: "/etc/tuned/profiles/new/tuned.conf",
      shadowed: ["/usr/lib/tuned/new/tuned.conf", "/usr/lib/tuned/profiles/new/tuned.conf"],
    });
    expect((await listed("yaml")).stdout).toContain("summary: The administrator's\n");
  });
});
