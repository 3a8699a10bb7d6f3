import { expect, test } from "vitest";
import { setCpusOffline as script } from "../../../src/domain/performance-profile/machine-config/scripts/set-cpus-offline.ts";
import { onEachShell } from "./on-each-shell.ts";

const online = (cpu: number) => `/sys/devices/system/cpu/cpu${cpu}/online`;
const switches = (...cpus: number[]) => Object.fromEntries(cpus.map((cpu) => [online(cpu), "1\n"]));

onEachShell("switching CPUs off", (makeNode) => {
  test.each([
    ["2,11", ["1", "0", "0"]],
    ["2", ["1", "0", "1"]],
    ["", ["1", "1", "1"]],
  ])("%j leaves the others online, and is idempotent", (cpus, left) => {
    const node = makeNode(switches(1, 2, 11));
    for (const _ of ["once", "twice"]) {
      expect(node.run(script, { OFFLINE_CPUS: cpus })).toEqual({ code: 0, out: "", err: "" });
      expect([1, 2, 11].map((cpu) => node.read(online(cpu)))).toEqual(left);
    }
  });

  test("does nothing without CPUs", () => {
    expect(makeNode().run(script)).toEqual({ code: 0, out: "", err: "" });
  });

  test("changes nothing if one has no switch", () => {
    const node = makeNode(switches(1, 2));
    const { code, err } = node.run(script, { OFFLINE_CPUS: "1,0,2,7" });
    expect(code).toBe(1);
    expect(err).toContain(": 0,7\n");
    expect([1, 2].map((cpu) => node.read(online(cpu)))).toEqual(["1", "1"]);
    expect(node.read(online(0))).toBeUndefined();
  });

  test("treats patterns as CPUs that do not exist", () => {
    const node = makeNode(switches(1, 2));
    expect(node.run(script, { OFFLINE_CPUS: "*" })).toMatchObject({ code: 1, err: expect.stringContaining(": *\n") });
  });

  test("names CPUs that the kernel keeps online, and takes the others offline", () => {
    const node = makeNode(switches(1, 2));
    node.refuse(online(1));
    const { code, err } = node.run(script, { OFFLINE_CPUS: "1,2" });
    expect(code).toBe(1);
    expect(err).toContain("keeps CPUs running: 1\n");
    expect(node.read(online(2))).toBe("0");
  });
});
