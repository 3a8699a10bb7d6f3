import { mkdtemp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ifThere } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Clock } from "../../src/cluster/runtime/clock.ts";
import { impatientClock } from "../../src/cluster/runtime/testing/impatient-clock.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { originsAnnotation } from "../../src/domain/machine-config/rendered-annotations.ts";
import {
  agentAnnotations,
  annotations,
  type NodeUpdate,
  repairAnnotation,
  updateOf,
} from "../../src/domain/rollout/node-annotations.ts";
import { profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import type { Host } from "../../src/node/host/host.ts";
import { bootIdPath } from "../../src/node/host/boot-id.ts";
import { LinuxHost } from "../../src/node/host/linux-host.ts";
import { smallNodes } from "../../src/program/cli/lab/virtual-nodes.ts";
import { runAgent } from "../../src/program/agent/agent.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { agentOn } from "../node-tuning/agent-token.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";

const own = { user: { id: process.getuid?.() ?? 0 }, group: { id: process.getgid?.() ?? 0 } };

const placesOf = (files: Record<string, string>): string[] => Object.keys(files).map((path) => `storage.files ${path}`);

function rendered(name: string, files: Record<string, string>): object {
  return {
    apiVersion: machineConfigKind.apiVersion,
    kind: "MachineConfig",
    metadata: { name, annotations: { [originsAnnotation]: JSON.stringify({ "50-a": placesOf(files) }) } },
    spec: {
      config: {
        ignition: { version: "3.5.0" },
        storage: {
          files: Object.entries(files).map(([path, text]) => ({
            path,
            mode: 0o640,
            ...own,
            contents: { source: `data:,${encodeURIComponent(text)}` },
          })),
        },
      },
    },
  };
}

for (const variant of serverVariants())
  describe(`an agent that brings configs to its node, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    let root = "";
    /** Of agents, by node. */
    const clients = new Map<string, HttpClient>();

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "attune-update-"));
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, [...foundation({}), ...machineConfigCrds]);
      await eventually("MachineConfigs are served", () => admin.list(machineConfigKind));
      // A path without an action of its own in the policy would need a drain and a boot.
      for (const [name, text] of [
        ["rendered-1", "one"],
        ["rendered-2", "two"],
      ] as const)
        await admin.create(machineConfigKind, rendered(name, { "/etc/nmstate/openshift/a": text }) as never);
    });
    afterAll(async () => {
      await server?.close();
      await rm(root, { recursive: true });
    });

    async function desire(name: string, config: string): Promise<void> {
      const patch = { metadata: { annotations: { [annotations.desiredConfig]: config } } };
      await admin.patch(kinds.node, name, { type: "merge", patch });
    }

    function done(name: string, config: string): Promise<NodeUpdate> {
      return eventually(`${name} has ${config}`, async () => {
        const update = updateOf((await admin.get(kinds.node, name)).metadata);
        return update.state === "Done" && update.current === config && update;
      });
    }

    async function withAgent(name: string, host: Host, use: () => Promise<void>, clock?: Clock): Promise<void> {
      const found = await ifThere(admin.get(kinds.node, name));
      if (!found) await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name } });
      const client = clients.get(name) ?? (await agentOn(server, name));
      clients.set(name, client);
      const stop = new AbortController();
      const running = runAgent({ client, node: name, host, signal: stop.signal, machineConfig: true, clock });
      try {
        await use();
      } finally {
        stop.abort();
        await running;
      }
    }

    it("writes the files of the desired config, and reports it as current", async () => {
      const [virtual] = smallNodes(1, "update-");
      const { name, host } = virtual!;
      await withAgent(name, host, async () => {
        await desire(name, "rendered-1");
        expect(await done(name, "rendered-1")).toMatchObject({ reason: "", desiredDrain: "", isRebooting: false });
        expect(await host.read("/etc/nmstate/openshift/a")).toEqual({ type: "text", text: "one" });
        expect(await host.stat("/etc/nmstate/openshift/a")).toMatchObject({ mode: 0o640 });
        await desire(name, "rendered-2");
        await done(name, "rendered-2");
        expect(await host.read("/etc/nmstate/openshift/a")).toEqual({ type: "text", text: "two" });
      });
    });

    async function bootedRoot(id: string): Promise<string> {
      const folder = join(root, id);
      const bootId = join(folder, bootIdPath);
      await mkdir(dirname(bootId), { recursive: true });
      await writeFile(bootId, `${id}\n`);
      return folder;
    }

    it("does so below the root of a real node", async () => {
      const folder = await bootedRoot("boot-1");
      await withAgent("update-real", new LinuxHost(folder), async () => {
        await desire("update-real", "rendered-1");
        await done("update-real", "rendered-1");
        const file = join(folder, "etc/nmstate/openshift/a");
        expect(await readFile(file, "utf8")).toBe("one");
        expect((await stat(file)).mode & 0o7777).toBe(0o640);
      });
    });

    it("reports drift when it happens, with the MachineConfig behind it, and repairs it once when asked (machine-config W-12)", async () => {
      const node = "update-drift";
      const host = new LinuxHost(await bootedRoot("boot-2"));
      const path = "/etc/nmstate/openshift/a";
      const reasonIs = (wanted: RegExp): Promise<unknown> =>
        eventually(`the reason is ${wanted}`, async () =>
          wanted.test(updateOf((await admin.get(kinds.node, node)).metadata).reason),
        );
      const ask = async (value: string): Promise<void> => {
        const patch = { metadata: { annotations: { [repairAnnotation]: value } } };
        await admin.patch(kinds.node, node, { type: "merge", patch });
        await eventually("the agent says that it repaired", async () => {
          const { metadata } = await admin.get(kinds.node, node);
          return metadata.annotations?.[agentAnnotations.repaired] === value;
        });
      };
      const drifted = new RegExp(
        `^drifted: storage.files ${path}: is file of 7 .*expected .* \\(MachineConfig 50-a\\)$`,
      );
      // An agent whose node has a Profile ends as one that is restarted.
      const spec = { config: { tunedProfile: "none" }, profile: [{ name: "none", data: "[main]\n" }] };
      const profile = {
        apiVersion: profileKind.apiVersion,
        kind: "Profile",
        metadata: { name: node, namespace },
        spec,
      };
      await admin.create(profileKind, profile, { namespace });
      await withAgent(node, host, async () => {
        await desire(node, "rendered-1");
        await done(node, "rendered-1");
        await host.replace(path, "by hand");
        await reasonIs(drifted);
        await ask("1");
        await reasonIs(/^$/);
        expect(await host.read(path)).toEqual({ type: "text", text: "one" });
        await host.replace(path, "by hand");
        await reasonIs(drifted);
      });
      await withAgent(node, host, async () => {
        await host.replace(path, "one");
        await reasonIs(/^$/);
        await host.replace(path, "by hand");
        await reasonIs(drifted);
        expect(await host.read(path)).toEqual({ type: "text", text: "by hand" });
        await desire(node, "rendered-2");
        await done(node, "rendered-2");
        expect(await host.read(path)).toEqual({ type: "text", text: "two" });
      });
    });

    it("names a config that does not exist", async () => {
      const [virtual] = smallNodes(1, "missing-");
      const { name, host } = virtual!;
      const use = async (): Promise<void> => {
        await desire(name, "rendered-nosuch");
        const { reason } = await eventually("Degraded", async () => {
          const update = updateOf((await admin.get(kinds.node, name)).metadata);
          return update.state === "Degraded" && update;
        });
        expect(reason).toBe("MachineConfig rendered-nosuch does not exist");
        await desire(name, "rendered-1");
        await done(name, "rendered-1");
      };
      // Between two attempts it waits up to 38 s.
      await withAgent(name, host, use, impatientClock());
    });
  });
