import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { isApiError, isNotFound } from "../../src/cluster/kube/api-error.ts";
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
        await eventually(() => admin.create(nodes, nodeObject(node)));
        await eventually(() => admin.create(profileKind, profileObject(node), { namespace }));
        agents.set(node, await agentOn(node));
      }
      agents.set("nowhere", withToken(server, await token({})));
      await untilHeld();
    });
    afterAll(() => server?.close());

    const hardware = { numaNodes: [{ id: 0, memory: "1024Ki", cores: ["0/0:0"] }], offline: "" };
    const status = { type: "merge", patch: { status: { tunedProfile: "p", hardware } } } as const;
    const annotate = (annotations: Record<string, string | null>): Patch => ({
      type: "merge",
      patch: { metadata: { annotations } },
    });
    const reports = annotate({ [bootArgumentsAnnotation]: "quiet", [inputsAnnotation]: "1" });
    const taint = { spec: { taints: [{ key: "mine", effect: "NoSchedule" }] } };

    interface Attempt {
      by?: string;
      what: KindRef;
      name?: string;
      patch?: Patch;
      subresource?: string;
      /** What the refusal says; none: it is allowed. */
      refused?: RegExp;
    }
    const profileStatus = { what: profileKind, patch: status, subresource: "status" };
    const attempts: [string, Attempt][] = [
      ["writes the status of its own Profile", profileStatus],
      ["may not write that of another", { ...profileStatus, name: "b", refused: /an agent on node a may not write b/ }],
      [
        "may write none without a node in its token",
        { ...profileStatus, by: "nowhere", refused: /an agent needs a token that is bound to a node/ },
      ],
      [
        "may not write what its node is asked for",
        {
          what: profileKind,
          patch: { type: "merge", patch: { spec: {} } },
          refused: /cannot patch resource "profiles"/,
        },
      ],
      ["reports boot arguments on its own Node", { what: nodes, patch: reports }],
      ["takes them back", { what: nodes, patch: annotate({ [bootArgumentsAnnotation]: null }) }],
      [
        "may not report them on another",
        { what: nodes, name: "b", patch: reports, refused: /an agent on node a may not write b/ },
      ],
      [
        "may not write another annotation",
        { what: nodes, patch: annotate({ x: "y" }), refused: /an agent may write only the annotations/ },
      ],
      [
        "may not take another annotation away",
        { what: nodes, patch: annotate({ kept: null }), refused: /an agent may write only the annotations/ },
      ],
      [
        "may not label its Node",
        {
          what: nodes,
          patch: { type: "merge", patch: { metadata: { labels: { x: "y" } } } },
          refused: /an agent may write only the annotations/,
        },
      ],
      [
        "may not taint its Node",
        { what: nodes, patch: { type: "merge", patch: taint }, refused: /an agent may write only the annotations/ },
      ],
      [
        "may not write the status of its Node",
        {
          what: nodes,
          patch: { type: "merge", patch: { status: {} } },
          subresource: "status",
          refused: /cannot patch/,
        },
      ],
    ];
    it.each(attempts)("%s", async (_, { by = "a", what, name = "a", patch, subresource, refused }) => {
      const place = { ...(what.namespaced ? { namespace } : {}), ...(subresource ? { subresource } : {}) };
      const tried = agents.get(by)!.patch(what, name, patch!, place);
      if (refused) await expect(tried).rejects.toThrow(refused);
      else await tried;
    });

    it("is held alone: others write what they may", async () => {
      await admin.patch(profileKind, "b", status, { namespace, subresource: "status" });
      await admin.patch(nodes, "b", annotate({ x: "y" }));
    });

    it("has no other rights", async () => {
      const agent = agents.get("a")!;
      await expect(agent.list(kinds.secret, { namespace })).rejects.toThrow(/forbidden/);
      await expect(agent.delete(profileKind, "a", { namespace })).rejects.toThrow(/forbidden/);
      await expect(agent.delete(nodes, "a")).rejects.toThrow(/forbidden/);
      await expect(agent.list(nodes)).rejects.toThrow(/forbidden/);
    });

    /** A policy holds some time after it is there. */
    async function untilHeld(): Promise<void> {
      const free = async (of: KindRef, patch: Patch, place: object): Promise<boolean> => {
        try {
          await agents.get("a")!.patch(of, "b", patch, { ...place, dryRun: true });
          return true;
        } catch (error) {
          // New rights take a moment as well.
          return !(isApiError(error) && error.message.includes("may not write"));
        }
      };
      while (await free(profileKind, status, { namespace, subresource: "status" }));
      while (await free(nodes, reports, {}));
    }

    async function agentOn(node: string): Promise<Client> {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `agent-${node}`, namespace },
        spec: { nodeName: node, serviceAccountName: agentServiceAccount, containers: [{ name: "c", image: "i" }] },
      };
      const { metadata } = await eventually(() => admin.create(kinds.pod, pod, { namespace }));
      const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid };
      return withToken(server, await token({ boundObjectRef }));
    }

    async function token(spec: object): Promise<string> {
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
      const path = { namespace, name: agentServiceAccount, subresource: "token" };
      const answer = await admin.create(kinds.tokenRequest as never, request as never, path);
      return (answer as { status: { token: string } }).status.token;
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

/** New kinds are served some time after they are defined. */
async function eventually<T>(act: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 30_000; ;) {
    try {
      return await act();
    } catch (error) {
      if (!isNotFound(error) || Date.now() > deadline) throw error;
    }
  }
}
