import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { isApiError } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef, Patch } from "../../src/cluster/kube/client.ts";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import {
  bootArgumentsAnnotation,
  inputsAnnotation,
  profileKind,
  tuningNamespace as namespace,
} from "../../src/domain/node-tuning/api.ts";
import { clientFor, withToken } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { agentOn, agentToken } from "./agent-token.ts";
import { eventually } from "./eventually.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { coresResource } from "../../src/domain/workload-partitioning/node/agent-cores.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";

const nodes = untyped("v1", "Node", "nodes", false);

for (const variant of serverVariants())
  describe(`an agent, on the ${variant.name} server`, () => {
    let server: ServerUnderTest;
    let admin: Client;
    const agents = new Map<string, Client>();

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation({ protocol: "shipped" }));
      for (const node of ["a", "b"]) {
        await eventually("Nodes are served", () => admin.create(nodes, nodeObject(node)));
        await eventually("Profiles are served", () => admin.create(profileKind, profileObject(node), { namespace }));
        agents.set(node, await agentOn(server, node));
      }
      agents.set("nowhere", withToken(server, await agentToken(server)));
      await untilEnforced();
    });
    afterAll(() => server?.close());

    const hardware = { numaNodes: [{ id: 0, memory: "1024Ki", cores: ["0/0:0"] }], offline: "" };
    const status = { type: "merge", patch: { status: { tunedProfile: "p", hardware } } } as const;
    const annotate = (annotations: Record<string, string | null>): Patch => ({
      type: "merge",
      patch: { metadata: { annotations } },
    });
    const reports = annotate({ [bootArgumentsAnnotation]: "quiet", [inputsAnnotation]: "1" });
    const cores = { capacity: { [coresResource]: "4k" } };
    const taint = { spec: { taints: [{ key: "mine", effect: "NoSchedule" }] } };

    it("writes the status of its own Profile", async () => {
      await agents.get("a")!.patch(profileKind, "a", status, { namespace, subresource: "status" });
      expect(await admin.get(profileKind, "a", { namespace })).toMatchObject(status.patch);
    });

    it("reports boot arguments on its own Node (W-24)", async () => {
      await agents.get("a")!.patch(nodes, "a", reports);
      expect((await admin.get(nodes, "a")).metadata.annotations).toEqual({
        kept: "yes",
        [bootArgumentsAnnotation]: "quiet",
        [inputsAnnotation]: "1",
      });
    });

    it("adds cores to the capacity of its own Node, and removes them", async () => {
      const write = (capacity: object): Promise<unknown> =>
        agents
          .get("a")!
          .patch(nodes, "a", { type: "merge", patch: { status: { capacity } } }, { subresource: "status" });
      const capacity = async (): Promise<unknown> =>
        ((await admin.get(nodes, "a")) as { status?: { capacity?: object } }).status?.capacity ?? {};
      const amounts = { capacity: { cpu: "4" }, allocatable: { cpu: "4" } };
      await admin.patch(nodes, "a", { type: "merge", patch: { status: amounts } }, { subresource: "status" });
      const before = await capacity();
      await write({ [coresResource]: "4k" });
      expect(await capacity()).toEqual({ ...(before as object), [coresResource]: "4k" });
      await write({ [coresResource]: null });
      expect(await capacity()).toEqual(before);
    });

    it("removes boot arguments from its own Node", async () => {
      await admin.patch(nodes, "a", reports);
      await agents.get("a")!.patch(nodes, "a", annotate({ [bootArgumentsAnnotation]: null }));
      expect((await admin.get(nodes, "a")).metadata.annotations).toEqual({ kept: "yes", [inputsAnnotation]: "1" });
    });

    interface Attempt {
      by?: string;
      what: KindRef;
      name?: string;
      patch: Patch;
      subresource?: string;
      refused: RegExp;
    }
    const profileStatus = { what: profileKind, patch: status, subresource: "status" };
    const attempts: [string, Attempt][] = [
      ["the status of another Profile", { ...profileStatus, name: "b", refused: /an agent on node a may not write b/ }],
      [
        "any status if its token names no node",
        { ...profileStatus, by: "nowhere", refused: /an agent needs a token that is bound to a node/ },
      ],
      [
        "the spec of its own Profile",
        {
          what: profileKind,
          patch: { type: "merge", patch: { spec: { config: { tunedProfile: "mine" } } } },
          refused: /cannot patch resource "profiles"/,
        },
      ],
      [
        "boot arguments on another Node",
        { what: nodes, name: "b", patch: reports, refused: /an agent on node a may not write b/ },
      ],
      [
        "another annotation",
        { what: nodes, patch: annotate({ x: "y" }), refused: /an agent may write only the annotations/ },
      ],
      [
        "the config that it should get",
        {
          what: nodes,
          patch: annotate({ [annotations.desiredConfig]: "rendered-mine" }),
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "that it was drained",
        {
          what: nodes,
          patch: annotate({ [annotations.lastAppliedDrain]: "drain-x" }),
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "the state of another Node's config",
        {
          what: nodes,
          name: "b",
          patch: annotate({ [annotations.state]: "Done" }),
          refused: /an agent on node a may not write b/,
        },
      ],
      [
        "the removal of another annotation",
        { what: nodes, patch: annotate({ kept: null }), refused: /an agent may write only the annotations/ },
      ],
      [
        "a label of its Node",
        {
          what: nodes,
          patch: { type: "merge", patch: { metadata: { labels: { x: "y" } } } },
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "a taint of its Node",
        { what: nodes, patch: { type: "merge", patch: taint }, refused: /an agent may write only the annotations/ },
      ],
      [
        "the status of its Node",
        {
          what: nodes,
          patch: { type: "merge", patch: { status: { phase: "Running" } } },
          subresource: "status",
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "another capacity of its Node",
        {
          what: nodes,
          patch: { type: "merge", patch: { status: { capacity: { [coresResource]: "4k", "example.com/gpu": "8" } } } },
          subresource: "status",
          refused: /an agent may write only the annotations .* and the cores in its capacity/,
        },
      ],
      [
        "a label of its Node with the status",
        {
          what: nodes,
          patch: { type: "merge", patch: { metadata: { labels: { x: "y" } }, status: cores } },
          subresource: "status",
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "the cores of another Node",
        {
          what: nodes,
          name: "b",
          patch: { type: "merge", patch: { status: cores } },
          subresource: "status",
          refused: /an agent on node a may not write b/,
        },
      ],
    ];
    it.each(attempts)("may not write %s", async (_, { by = "a", what, name = "a", patch, subresource, refused }) => {
      const place = what.namespaced ? { namespace } : {};
      const before = await admin.get(what, name, place);
      await expect(agents.get(by)!.patch(what, name, patch, { ...place, subresource })).rejects.toThrow(refused);
      expect(await admin.get(what, name, place)).toEqual(before);
    });

    it("alone is restricted: other clients write what their rights allow", async () => {
      const written = { status: { tunedProfile: "by-admin" } };
      await admin.patch(profileKind, "b", { type: "merge", patch: written }, { namespace, subresource: "status" });
      expect(await admin.get(profileKind, "b", { namespace })).toMatchObject(written);
      await admin.patch(nodes, "b", annotate({ x: "y" }));
      expect((await admin.get(nodes, "b")).metadata.annotations).toEqual({ kept: "yes", x: "y" });
    });

    it("has no other rights", async () => {
      const agent = agents.get("a")!;
      await expect(agent.list(kinds.secret, { namespace })).rejects.toThrow(/forbidden/);
      await expect(agent.delete(profileKind, "a", { namespace })).rejects.toThrow(/forbidden/);
      await expect(agent.delete(nodes, "a")).rejects.toThrow(/forbidden/);
      await expect(agent.list(machineConfigKind)).rejects.toThrow(/forbidden/);
    });

    /** A policy takes effect some time after it is created. */
    async function untilEnforced(): Promise<void> {
      const isAllowed = async (of: KindRef, patch: Patch, place: object): Promise<boolean> => {
        try {
          await agents.get("a")!.patch(of, "b", patch, { ...place, dryRun: true });
          return true;
        } catch (error) {
          // New rights take effect later, too.
          return !(isApiError(error) && error.message.includes("may not write"));
        }
      };
      while (await isAllowed(profileKind, status, { namespace, subresource: "status" }));
      while (await isAllowed(nodes, reports, {}));
    }
  });

function nodeObject(name: string): never {
  return { apiVersion: "v1", kind: "Node", metadata: { name, annotations: { kept: "yes" } } } as never;
}

function profileObject(name: string): never {
  return {
    apiVersion: profileKind.apiVersion,
    kind: "Profile",
    metadata: { name, namespace },
    spec: { config: { tunedProfile: "p" } },
  } as never;
}
