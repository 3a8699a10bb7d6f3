import { expect, it } from "vitest";
import { casesOf, type RecordedCase } from "./cases.ts";
import { hashDifferences, type Hashes } from "./differences.ts";
import { NodePoolWorld } from "./node-pool-world.ts";

const cases = casesOf<RecordedCase<unknown>>("rollout-hash");

for (const protocol of ["documented", "shipped"] as const)
  it.each(cases.map((recorded): [string, RecordedCase<unknown>] => [recorded.id, recorded]))(
    `%s (${protocol})`,
    (id, recorded) => {
      const world = new NodePoolWorld(recorded, protocol);
      world.settle();
      const before = world.payloads.get("np1")?.hashes;
      const [step] = recorded.steps;
      for (const change of step?.change ?? []) world.change(change);
      world.settle();
      const after = world.payloads.get("np1")?.hashes;
      const word = (hash: keyof Hashes): string => (before?.[hash] === after?.[hash] ? "same" : "changed");
      const result = { full: word("full"), withoutVersion: word("withoutVersion") };
      const theirs = { full: step?.full, withoutVersion: step?.withoutVersion };
      const ours = hashDifferences[id];
      expect(before?.full).toMatch(/^[0-9a-f]{16}$/);
      expect(result).toEqual(ours ?? theirs);
      expect(theirs).not.toEqual(ours);
    },
  );
