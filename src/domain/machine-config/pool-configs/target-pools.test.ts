import { expect, it } from "vitest";
import type { MachineConfig, MachineConfigPool } from "../api.ts";
import { targetPools } from "./target-pools.ts";

const path = "/etc/kubernetes/kubelet.conf";

it("hundreds of pools ask for a file, and each MachineConfig is read once", () => {
  let reads = 0;
  const config = (name: string, role: string, text: string): MachineConfig => ({
    apiVersion: "",
    kind: "MachineConfig",
    metadata: { name, labels: { role } },
    spec: {
      get config() {
        reads++;
        return { storage: { files: [{ path, contents: { source: `data:,${text}` } }] } };
      },
    },
  });
  const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
  const pools = names.map((name): MachineConfigPool => ({
    apiVersion: "",
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { machineConfigSelector: { matchLabels: { role: name } } },
  }));
  const configs = names.flatMap((name) => [
    config(`02-${name}`, name, `second-${name}`),
    config(`01-${name}`, name, "x"),
  ]);
  const found = targetPools(pools, configs, (name) => name === "02-p7");
  for (let time = 0; time < 3; time++)
    for (const pool of found) expect(pool.textOf(path)).toBe(pool.name === "p7" ? "x" : `second-${pool.name}`);
  expect(reads).toBe(599);
});
