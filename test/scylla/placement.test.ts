import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { Placement } from "../../src/domain/scylla/api.ts";
import { type PlacedNode, selectsNode } from "../../src/domain/scylla/placement.ts";

interface Row {
  readonly id: string;
  readonly placement: Placement;
  readonly labels: Record<string, string>;
  readonly taints: NonNullable<NonNullable<PlacedNode["spec"]>["taints"]>;
  readonly out: boolean;
}

const rows = (
  parse(readFileSync(join(import.meta.dirname, "../fixtures/scylla/placement.yaml"), "utf8")) as { selectsNode: Row[] }
).selectsNode;

it.each(rows)("placement $id", ({ placement, labels, taints, out }) => {
  const node: PlacedNode = { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels }, spec: { taints } };
  expect(selectsNode(placement, node)).toBe(out);
});
