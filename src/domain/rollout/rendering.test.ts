import { expect, test } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool } from "../machine-config/api.ts";
import { renderPool } from "../machine-config/render-pool.ts";
import { Renderings } from "./rendering.ts";

const chosenOs: MachineConfig = {
  apiVersion,
  kind: "MachineConfig",
  metadata: { name: "50-os", labels: {} },
  spec: { osImageURL: "os:1" },
};

const poolWith = (spec: NonNullable<MachineConfigPool["spec"]>): MachineConfigPool => ({
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "rt", uid: "1" },
  spec,
});

test("a pool that was refused for a field of its own is rendered again when that field changes, and refused again", async () => {
  const digest = (): string => "0".repeat(32);
  const renderings = new Renderings(
    (pool, machineConfigs, current) => renderPool({ pool, machineConfigs, current, version: "test", digest }),
    () => Promise.resolve(undefined),
  );
  const typeWith = async (spec: NonNullable<MachineConfigPool["spec"]>): Promise<string | undefined> =>
    (await renderings.of(poolWith(spec), [chosenOs]))?.type;
  expect(await typeWith({ osImageStream: { name: "rhel-10" } })).toBe("refused");
  expect(await typeWith({})).toBe("rendered");
  expect(await typeWith({ osImageStream: { name: "rhel-10" } })).toBe("refused");
});
