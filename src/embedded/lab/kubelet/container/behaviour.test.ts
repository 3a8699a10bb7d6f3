import { describe, expect, test } from "vitest";
import { machine, machineBase, smallMachine } from "../../machine.ts";
import { behaviourOf, wishesInAnnotations, wishesInFiles } from "./behaviour.ts";

const base = machineBase(smallMachine);
const forever = { exitCode: undefined, runMs: 0, ready: true, message: undefined };

describe("what a container does", () => {
  test.each([
    ["nothing said", { role: "main", ends: false, wishes: {} }, forever],
    ["a Job's", { role: "main", ends: true, wishes: {} }, { exitCode: 0 }],
    ["a code", { role: "main", ends: true, wishes: { "exit-code": "3" } }, { exitCode: 3, runMs: 0 }],
    ["a time", { role: "main", ends: false, wishes: { "run-seconds": "1.5" } }, { exitCode: 0, runMs: 1500 }],
    ["not ready", { role: "main", ends: false, wishes: { ready: "false" } }, { ready: false }],
    ["a sidecar never ends", { role: "sidecar", ends: true, wishes: { "exit-code": "3" } }, forever],
    ["an init container", { role: "init", ends: false, wishes: { "exit-code": "3" } }, { exitCode: 0 }],
    ["a failing one", { role: "init", ends: false, wishes: { "init-exit-code": "2" } }, { exitCode: 2 }],
    ["nonsense", { role: "main", ends: false, wishes: { "exit-code": "-1", "run-seconds": "soon" } }, forever],
    ["a code too large", { role: "main", ends: false, wishes: { "exit-code": "256" } }, forever],
  ] as const)("%s", (_, input, wanted) => {
    expect(behaviourOf(input)).toMatchObject(wanted);
  });

  test("is said by annotations", () => {
    const annotations = { "lab.attune.dev/exit-code": "1", "lab.attune.dev/other": "x", "exit-code": "2" };
    expect(wishesInAnnotations({ annotations })).toEqual({ "exit-code": "1" });
  });
});

describe("a file that says what pods do", () => {
  const folder = "/var/lib/attune-lab/fail";
  const pod = { namespace: "ns", name: "web-1", labels: { app: "web" } };

  test.each([
    ["", { "exit-code": "1" }],
    ["exit-code: 7\nmessage: disk: full\n", { "exit-code": "7", message: "disk: full" }],
    ["ready: false", { ready: "false" }],
    ["just broken", { "exit-code": "1", message: "just broken" }],
  ])("%j", async (text, wishes) => {
    const host = machine(base);
    await host.write(`${folder}/ns_web-1`, text);
    expect(await wishesInFiles(host, pod)).toEqual(wishes);
  });

  test("of the pod comes before one of its app, and that before one of all", async () => {
    const host = machine(base);
    expect(await wishesInFiles(host, pod)).toEqual({});
    for (const [who, code] of [
      ["*", "1"],
      ["web", "2"],
      ["web-1", "3"],
    ] as const) {
      await host.write(`${folder}/ns_${who}`, `exit-code: ${code}`);
      expect(await wishesInFiles(host, pod)).toEqual({ "exit-code": code });
    }
    expect(await wishesInFiles(host, { ...pod, namespace: "other" })).toEqual({});
    expect(await wishesInFiles(host, { namespace: "other", name: "p", labels: { app: "../../x" } })).toEqual({});
  });
});
