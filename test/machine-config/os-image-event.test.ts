import { expect, test } from "vitest";
import { apiVersion, roleLabel } from "../../src/domain/machine-config/api.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";

test("a pool whose operating system a MachineConfig chooses says so once, in an event", async () => {
  const world = new RolloutWorld();
  const metadata = { name: "50-os", labels: { [roleLabel]: "worker" } };
  world.machineConfigs.put({ apiVersion, kind: "MachineConfig", metadata, spec: { osImageURL: "user-image" } });
  world.operator();
  await world.clock.advance(10_000);
  const target = world.pools.objects.get("worker")?.spec?.configuration?.name;
  const events = world.events.filter(({ regarding }) => regarding.kind === "MachineConfigPool");
  expect(events.map(({ reason, message }) => `${reason} ${message}`)).toEqual(
    expect.arrayContaining([
      `OSImageURLOverridden ${target} has the operating system user-image, which a MachineConfig chose`,
    ]),
  );
  expect(events.filter(({ reason }) => reason === "OSImageURLOverridden")).toHaveLength(1);
});
