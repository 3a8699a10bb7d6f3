import { describe, expect, it } from "vitest";
import type { ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";
import { judge, type OwnerState, type Candidate } from "./garbage-verdict.ts";

const candidate = (owners: OwnerState[], metadata: ObjectMeta = {}, more: Partial<Candidate> = {}): Candidate => ({
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

/** The verdict as a short text. */
function said(input: Candidate): string {
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
  const cases: [why: string, input: Candidate, expected: string][] = [
    ["it has no owner", candidate([]), "keep"],
    ["its owner is there", candidate(["present"]), "keep"],
    ["its owner is gone", candidate(["gone"]), "Background"],
    ["all its owners are gone", candidate(["gone", "gone"]), "Background"],
    ["one of its owners is gone", candidate(["gone", "present"]), "keeps present"],
    ["one of its owners goes", candidate(["present", "deleting"]), "keeps present"],
    ["its owner goes", candidate(["deleting"]), "Background"],
    ["its owner goes and it has dependents", candidate(["deleting"], {}, { hasDependents: yes }), "Foreground"],
    ["an owner is of an unknown kind", candidate(["gone", "unknown"]), "keep"],
    ["an owner is in a namespace and it is not", candidate(["gone", "misplaced"]), "keep"],
    ["its owner wants to be forgotten", candidate(["orphaning"]), "keeps"],
    ["one of its owners wants to be forgotten", candidate(["orphaning", "gone"]), "keeps gone"],
    ["it goes, and its owner wants to be forgotten", candidate(["orphaning"], going), "keeps"],
    ["it was made to orphan", candidate(["gone"], { finalizers: ["orphan"] }), "Orphan"],
    ["it was made to wait", candidate(["gone"], { finalizers: ["foregroundDeletion"] }), "Foreground"],
    ["it goes already", candidate(["gone"], { ...going, finalizers: ["x.io/hold"] }), "keep"],
    ["nothing holds it any more", candidate([], going, { released: true }), "Background"],
    [
      "it waits for no dependent",
      candidate([], { ...going, finalizers: ["foregroundDeletion"] }, { hasDependents: yes }),
      "released of foregroundDeletion",
    ],
    [
      "it waits for dependents",
      candidate([], { ...going, finalizers: ["foregroundDeletion"] }, { hasBlockingDependents: yes }),
      "wait",
    ],
    [
      "it waits for dependents that wait for it",
      candidate(
        ["deleting"],
        { ...going, finalizers: ["foregroundDeletion"] },
        { hasBlockingDependents: yes, isInCircle: yes },
      ),
      "keeps deleting unblocked",
    ],
    ["it has orphaned all", candidate([], { ...going, finalizers: ["orphan"] }), "released of orphan"],
    [
      "it has dependents to orphan",
      candidate([], { ...going, finalizers: ["orphan"] }, { hasDependents: yes }),
      "wait",
    ],
  ];
  it.each(cases)("when %s", (_, input, expected) => {
    expect(said(input)).toBe(expected);
  });
});
