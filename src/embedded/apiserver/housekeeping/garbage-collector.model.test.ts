import fc from "fast-check";
import { expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { SmallServer } from "../testing/small-server.ts";
import { GarbageCollector } from "./garbage-collector.ts";

interface Edge {
  readonly owner: number;
  readonly dependent: number;
  readonly blockOwnerDeletion: boolean;
}

const size = 6;
const node = fc.nat({ max: size - 1 });
const families = fc.uniqueArray(fc.record({ owner: node, dependent: node, blockOwnerDeletion: fc.boolean() }), {
  maxLength: 15,
  selector: ({ owner, dependent }) => `${owner} ${dependent}`,
});
const deleted = fc.uniqueArray(node, { minLength: 1, maxLength: 2 });
const policies = fc.constantFrom("Background", "Foreground", "Orphan");

/** What is deleted along with the given objects: everything whose owners are all deleted. */
function goes(edges: readonly Edge[], first: readonly number[], policy: string): Set<number> {
  const gone = new Set(first);
  if (policy === "Orphan") return gone;
  for (let before = 0; before !== gone.size;) {
    before = gone.size;
    for (let dependent = 0; dependent < size; dependent++) {
      const owners = edges.filter((edge) => edge.dependent === dependent);
      if (owners.length > 0 && owners.every(({ owner }) => gone.has(owner))) gone.add(dependent);
    }
  }
  return gone;
}

it("for any ownership, also circular: objects without owners left are deleted, the rest stays, and nothing waits forever", async () => {
  await fc.assert(
    fc.asyncProperty(families, deleted, policies, async (edges, first, propagationPolicy) => {
      const server = new SmallServer();
      await server.createNamespaces("a");
      const stop = new GarbageCollector(server.services, noLog).start();
      const at = (index: number) => ({ namespace: "a", name: `n${index}` });
      const all = Array.from({ length: size }, (_, index) => index);
      const made = await Promise.all(all.map((index) => server.create("configmaps", { metadata: at(index) })));
      const references = (dependent: number) =>
        edges
          .filter((edge) => edge.dependent === dependent)
          .map(({ owner, blockOwnerDeletion }) => {
            const { apiVersion, kind, metadata } = made[owner] as (typeof made)[number];
            return { apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion };
          });
      for (const index of all)
        await server.patch("configmaps", at(index), { metadata: { ownerReferences: references(index) } });
      await server.settled();

      await Promise.all(first.map((index) => server.delete("configmaps", at(index), { propagationPolicy })));
      await server.settled();
      const gone = goes(edges, first, propagationPolicy);
      const stays = all.filter((index) => !gone.has(index));
      expect(server.list("configmaps").names).toEqual(stays.map((index) => `a/n${index}`));
      for (const index of stays) {
        const { ownerReferences = [], deletionTimestamp } = server.get("configmaps", at(index)).metadata;
        expect(deletionTimestamp).toBeUndefined();
        expect(ownerReferences).toEqual(references(index).filter(({ name }) => !gone.has(Number(name?.slice(1)))));
      }
      stop();
    }),
    { numRuns: 200 },
  );
});
