import { describe, expect, test } from "vitest";
import { machine } from "../../machine.ts";
import { machineBase, smallMachine } from "../../machine-base.ts";
import { behaviourOf, overridesInAnnotations, overridesInFiles } from "./behaviour.ts";

const base = machineBase(smallMachine);
const forever = { exitCode: undefined, runMs: 0, ready: true, message: undefined };

describe("what a container does", () => {
  test.each([
    ["without overrides", { role: "main", ends: false, overrides: {} }, forever],
    ["in the pod of a Job", { role: "main", ends: true, overrides: {} }, { exitCode: 0 }],
    ["with an exit code", { role: "main", ends: true, overrides: { "exit-code": "3" } }, { exitCode: 3, runMs: 0 }],
    [
      "with a run time",
      { role: "main", ends: false, overrides: { "run-seconds": "1.5" } },
      { exitCode: 0, runMs: 1500 },
    ],
    ["with ready: false", { role: "main", ends: false, overrides: { ready: "false" } }, { ready: false }],
    ["as a sidecar never ends", { role: "sidecar", ends: true, overrides: { "exit-code": "3" } }, forever],
    ["as an init container", { role: "init", ends: false, overrides: { "exit-code": "3" } }, { exitCode: 0 }],
    [
      "as a failing init container",
      { role: "init", ends: false, overrides: { "init-exit-code": "2" } },
      { exitCode: 2 },
    ],
    [
      "with values that cannot be read",
      { role: "main", ends: false, overrides: { "exit-code": "-1", "run-seconds": "soon" } },
      forever,
    ],
    ["with an exit code over 255", { role: "main", ends: false, overrides: { "exit-code": "256" } }, forever],
  ] as const)("%s", (_, input, wanted) => {
    expect(behaviourOf(input)).toMatchObject(wanted);
  });

  test("is overridden by annotations", () => {
    const annotations = { "lab.attune.dev/exit-code": "1", "lab.attune.dev/other": "x", "exit-code": "2" };
    expect(overridesInAnnotations({ annotations })).toEqual({ "exit-code": "1" });
  });
});

describe("a file that overrides what pods do", () => {
  const folder = "/var/lib/attune-lab/fail";
  const pod = { namespace: "ns", name: "web-1", labels: { app: "web" } };

  test.each([
    ["", { "exit-code": "1" }],
    ["exit-code: 7\nmessage: disk: full\n", { "exit-code": "7", message: "disk: full" }],
    ["ready: false", { ready: "false" }],
    ["just broken", { "exit-code": "1", message: "just broken" }],
  ])("%j", async (text, overrides) => {
    const host = machine(base);
    await host.write(`${folder}/ns_web-1`, text);
    expect(await overridesInFiles(host, pod)).toEqual(overrides);
  });

  test("of the pod wins over the file of its app, and that over the file of the namespace", async () => {
    const host = machine(base);
    expect(await overridesInFiles(host, pod)).toEqual({});
    for (const [target, code] of [
      ["*", "1"],
      ["web", "2"],
      ["web-1", "3"],
    ] as const) {
      await host.write(`${folder}/ns_${target}`, `exit-code: ${code}`);
      expect(await overridesInFiles(host, pod)).toEqual({ "exit-code": code });
    }
    expect(await overridesInFiles(host, { ...pod, namespace: "other" })).toEqual({});
    expect(await overridesInFiles(host, { namespace: "other", name: "p", labels: { app: "../../x" } })).toEqual({});
  });
});
