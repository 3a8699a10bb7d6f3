import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { nodes, Stage } from "./stage.ts";
import { story } from "./story.ts";

/** Frequent events that need no reaction. */
const trifles: readonly { readonly what: string; readonly happen: (stage: Stage) => Promise<unknown> }[] = [
  {
    what: "a label that no rule names is put on a node",
    happen: ({ client }) => client.patch(nodes, "one", merge({ metadata: { labels: { any: "thing" } } })),
  },
  {
    what: "a node's heartbeat",
    happen: ({ client }) => client.patch(nodes, "one", merge({ metadata: { annotations: { beat: "1" } } })),
  },
  {
    what: "an annotation on a Tuned",
    happen: ({ client }) =>
      client.patch(tunedKind, "web", merge({ metadata: { annotations: { any: "thing" } } }), { namespace }),
  },
  {
    what: "a ConfigMap of another client",
    happen: ({ client }) =>
      client.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", namespace } }),
  },
  { what: "an hour without anything", happen: ({ clock }) => clock.advance(3_600_000) },
];

describe("an operator with nothing to do", () => {
  it.each(trifles)("writes nothing: $what", async ({ happen }) => {
    const stage = await Stage.open();
    const writes: string[] = [];
    const operator = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    for (const { happen: begin } of story.slice(0, 2)) {
      await begin(stage.client);
      await stage.settle();
    }
    expect(writes.splice(0).length).toBeGreaterThan(10);
    await happen(stage);
    await stage.settle();
    expect(writes).toEqual([]);
    await operator.stop();
    stage.close();
  });

  it("writes nothing after a restart", async () => {
    const stage = await Stage.open();
    const first = stage.startOperator(stage.client);
    for (const { happen } of story.slice(0, 2)) {
      await happen(stage.client);
      await stage.settle();
    }
    await first.stop();
    const writes: string[] = [];
    const second = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    await stage.settle();
    expect(writes).toEqual([]);
    await second.stop();
    stage.close();
  });

  it("writes one status and no Profile for an edit that concerns no node", async () => {
    const stage = await Stage.open();
    const writes: string[] = [];
    const operator = stage.startOperator(new DirectClient(stage.server, { onWrite: (write) => writes.push(write) }));
    for (const { happen } of story.slice(0, 2)) {
      await happen(stage.client);
      await stage.settle();
    }
    writes.length = 0;
    const recommend = [{ profile: "web", priority: 20, match: [{ label: "tier", value: "web" }, { label: "nobody" }] }];
    await stage.client.patch(tunedKind, "web", merge({ spec: { recommend } }), { namespace });
    await stage.settle();
    expect(writes).toEqual(["patch tuneds/status"]);
    await operator.stop();
    stage.close();
  });
});

function merge(patch: object): { type: "merge"; patch: object } {
  return { type: "merge", patch };
}
