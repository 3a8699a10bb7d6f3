import { describe, expect, it } from "vitest";
import type { ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";
import { judge, type OwnerState, type Suspect } from "./garbage-verdict.ts";

const suspect = (owners: OwnerState[], metadata: ObjectMeta = {}, more: Partial<Suspect> = {}): Suspect => ({
  metadata,
  owners: owners.map((state, index) => ({
    reference: { apiVersion: "v1", kind: "ConfigMap", name: state, uid: String(index) },
    state,
  })),
  released: false,
  hasDependents: () => false,
  hasBlockingDependents: () => false,
  isInCircle: () => false,
  ...more,
});

const yes = (): boolean => true;
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

const shown = ({ name, blockOwnerDeletion }: OwnerReference): string =>
  blockOwnerDeletion === false ? `${name} unblocked` : name;

/** The verdict in a few words. */
function said(input: Suspect): string {
  const verdict = judge(input);
  switch (verdict.type) {
    case "rewrite":
      return ["keeps", ...verdict.references.map(shown)].join(" ");
    case "delete":
      return verdict.propagation;
    case "release":
      return `released of ${verdict.finalizer}`;
    default:
      return verdict.type;
  }
}

describe("what becomes of an object", () => {
  const cases: [why: string, input: Suspect, expected: string][] = [
    ["it has no owner", suspect([]), "keep"],
    ["its owner is there", suspect(["present"]), "keep"],
    ["its owner is gone", suspect(["gone"]), "Background"],
    ["all its owners are gone", suspect(["gone", "gone"]), "Background"],
    ["one of its owners is gone", suspect(["gone", "present"]), "keeps present"],
    ["one of its owners goes", suspect(["present", "deleting"]), "keeps present"],
    ["its owner goes", suspect(["deleting"]), "Background"],
    ["its owner goes and it has dependents", suspect(["deleting"], {}, { hasDependents: yes }), "Foreground"],
    ["an owner is of an unknown kind", suspect(["gone", "unknown"]), "keep"],
    ["an owner is in a namespace and it is not", suspect(["gone", "misplaced"]), "keep"],
    ["its owner wants to be forgotten", suspect(["orphaning"]), "keeps"],
    ["one of its owners wants to be forgotten", suspect(["orphaning", "gone"]), "keeps gone"],
    ["it goes, and its owner wants to be forgotten", suspect(["orphaning"], going), "keeps"],
    ["it was made to orphan", suspect(["gone"], { finalizers: ["orphan"] }), "Orphan"],
    ["it was made to wait", suspect(["gone"], { finalizers: ["foregroundDeletion"] }), "Foreground"],
    ["it goes already", suspect(["gone"], { ...going, finalizers: ["x.io/hold"] }), "keep"],
    ["nothing holds it any more", suspect([], going, { released: true }), "Background"],
    [
      "it waits for nobody",
      suspect([], { ...going, finalizers: ["foregroundDeletion"] }, { hasDependents: yes }),
      "released of foregroundDeletion",
    ],
    [
      "it waits for dependents",
      suspect([], { ...going, finalizers: ["foregroundDeletion"] }, { hasBlockingDependents: yes }),
      "wait",
    ],
    [
      "it waits for dependents that wait for it",
      suspect(
        ["deleting"],
        { ...going, finalizers: ["foregroundDeletion"] },
        { hasBlockingDependents: yes, isInCircle: yes },
      ),
      "keeps deleting unblocked",
    ],
    ["it has orphaned all", suspect([], { ...going, finalizers: ["orphan"] }), "released of orphan"],
    ["it has dependents to orphan", suspect([], { ...going, finalizers: ["orphan"] }, { hasDependents: yes }), "wait"],
  ];
  it.each(cases)("when %s", (_, input, expected) => {
    expect(said(input)).toBe(expected);
  });
});
