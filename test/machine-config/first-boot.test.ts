import { expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import { acceptedVersion } from "../../src/domain/rollout/first-boot/accept-version.ts";
import { answerFirstBoot } from "../../src/domain/rollout/first-boot/answer.ts";
import { payloadPaths, servedConfig } from "../../src/domain/rollout/first-boot/payload.ts";
import { casesOf, machineConfigOf } from "./parity.ts";

interface Recorded {
  id: string;
  headers?: string[];
  pool?: string;
  configs?: string[];
  expect: unknown;
}

const accept = "application/vnd.coreos.ignition+json;version=3.5.0";

const pool: MachineConfigPool = {
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { configuration: { name: "rendered-worker-new" } },
  status: { configuration: { name: "rendered-worker-old" } },
};

function configOf(name: string): ReturnType<typeof machineConfigOf> {
  const age = name.slice(name.lastIndexOf("-") + 1);
  const files = [{ path: "/etc/a", mode: 420, contents: { source: `data:,${age}` } }];
  const config = { ignition: { version: "3.5.0" }, storage: { files } };
  return machineConfigOf({ name, config, kernelArguments: [age === "old" ? "a=1" : "a=2"], osImageURL: `os-${age}` });
}

async function served({ pool: asked = "", configs = [] }: Recorded): Promise<unknown> {
  const answer = await answerFirstBoot(
    { pool: asked, accept },
    {
      pool: (name) => (name === "worker" ? pool : undefined),
      selects: () => true,
      config: async (name) => (configs.includes(name) ? configOf(name) : undefined),
      kubeletAuthority: "ca-data",
    },
  );
  if (answer.type !== "payload") return answer.type;
  const { files } = answer.payload["storage"] as { files: { path: string; contents: { source: string } }[] };
  return files.map(({ path, contents }) => {
    const text = decodeURIComponent(contents.source.slice("data:,".length));
    if (path === payloadPaths.config) return { path };
    return path.endsWith(".json") ? { path, json: JSON.parse(text) as unknown } : { path, text };
  });
}

test.each(casesOf<Recorded>("first-boot").map((recorded): [string, Recorded] => [recorded.id, recorded]))(
  "%s",
  async (_, recorded) => {
    const ours = recorded.headers?.map((header) => acceptedVersion(header) ?? "refused") ?? (await served(recorded));
    expect(ours).toEqual(recorded.expect);
  },
);

test.each([
  { updated: 0, before: "old", serves: "old" },
  { updated: 1, before: "old", serves: "new" },
  // The first nodes of a cluster.
  { updated: 0, before: undefined, serves: "new" },
])("a pool of which $updated nodes are updated, from $before, serves $serves", ({ updated, before, serves }) => {
  const status = { updatedMachineCount: updated, ...(before === undefined ? {} : { configuration: { name: before } }) };
  expect(servedConfig({ ...pool, spec: { configuration: { name: "new" } }, status })).toBe(serves);
});
