import { expect, test } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { type Log, noLog } from "../../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { NodeWriter } from "../node-writer-controller.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { invitationController } from "./invitation-controller.ts";
import { claimPatch, invitationObject } from "./invitation.ts";

const creationTimestamp = "2026-01-01T10:00:00Z";

function cacheOf<T extends KubeObject>(object?: T): Informer<T> {
  const cache = { get: () => object, whenSynced: () => Promise.resolve(), subscribe: () => () => {} };
  return cache as unknown as Informer<T>;
}

test("a Node that another client writes at the same moment is told again, and is no error", async () => {
  const clock = new VirtualClock(0);
  const { metadata } = invitationObject("a", "worker", "2026-01-02T00:00:00Z");
  const patch = claimPatch({ uid: "" } as never, { by: "hash", config: "" }) as { metadata: KubeObject["metadata"] };
  const noted = { ...metadata.annotations, ...patch.metadata.annotations };
  const secret = { metadata: { ...metadata, creationTimestamp, annotations: noted } } as KubeObject;
  const node: RolloutNode = { apiVersion: "v1", kind: "Node", metadata: { name: "a", creationTimestamp } };
  const requests: string[] = [];
  const client = {
    patch: () => {
      requests.push("patch");
      if (requests.length === 1) throw new ApiError({ code: 409, reason: "Conflict", message: "modified" });
      return Promise.resolve(node);
    },
    delete: () => Promise.resolve(void requests.push("delete")),
  } as unknown as Client;
  const nodes = cacheOf(node);
  const errors: unknown[] = [];
  const log: Log = { ...noLog, error: (fields) => void errors.push(fields), child: () => log };
  const controller = invitationController({
    client,
    caches: { pools: cacheOf(), nodes, machineConfigs: cacheOf() },
    invitations: cacheOf(secret),
    writer: new NodeWriter(client, nodes),
    clock,
    log,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  controller.queue.add("a");
  await clock.advance(10_000);
  stop.abort();
  await running;
  expect(requests).toEqual(["patch", "patch", "delete"]);
  expect(errors).toEqual([]);
});
