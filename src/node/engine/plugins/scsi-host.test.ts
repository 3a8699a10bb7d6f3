import { expect, test } from "vitest";
import { outcomeOf, runCase } from "../testing/plugin-bench.ts";
import type { RecordedCase } from "../testing/recorded-case.ts";

const host0 = "/sys/class/scsi_host/host0";
const policy = `${host0}/link_power_management_policy`;

function node(fs: Record<string, string>): RecordedCase {
  const input = { profile: "[scsi_host]\nalpm=medium_power\n", fs, watch: [policy] };
  return { id: "", input, expect: { applied: {}, rolled_back: {} } };
}

test("link power management is set and restored", async () => {
  const result = await runCase(node({ [policy]: "max_performance\n", [`${host0}/ahci_port_cmd`]: "c007\n" }));
  expect(outcomeOf(result)).toEqual({
    applied: { [policy]: "medium_power" },
    rolledBack: { [policy]: "max_performance" },
    verified: true,
  });
});

test.each([
  ["of a port for plugging", { [policy]: "max_performance\n", [`${host0}/ahci_port_cmd`]: "0004c017\n" }],
  ["of an external port", { [policy]: "max_performance\n", [`${host0}/ahci_port_cmd`]: "20c017\n" }],
  ["without power management", { [`${host0}/uevent`]: "" }],
])("links %s are not changed", async (_, fs) => {
  const result = await runCase(node(fs));
  expect(result.apply.settings).toMatchObject([{ type: "skipped", level: "info", device: "host0" }]);
  expect(result.verify).toEqual({ differences: [] });
});
