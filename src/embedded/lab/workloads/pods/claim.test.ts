import { describe, expect, it } from "vitest";
import { fromLabelSelector } from "../../../../language/object/label-selector.ts";
import type { KubeObject, ObjectMeta } from "../../../../language/object/meta.ts";
import { claims } from "./claim.ts";

const object = (metadata: ObjectMeta): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata });
const owner = object({ name: "web", uid: "1" });
const selector = fromLabelSelector({ matchLabels: { app: "web" } });
const by = (uid: string): Pick<ObjectMeta, "ownerReferences"> => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid, controller: true }],
});
const labels = { app: "web" };
const gone = { deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("claims", () => {
  it.each<{ is: string; pod: ObjectMeta; isDeleted?: boolean; so: "mine" | "adopt" | "release" | undefined }>([
    { is: "owned and matched", pod: { labels, ...by("1") }, so: "mine" },
    { is: "owned, matched and terminating", pod: { labels, ...by("1"), ...gone }, so: "mine" },
    { is: "owned and not matched", pod: { ...by("1") }, so: "release" },
    { is: "owned and not matched by a deleted owner", pod: { ...by("1") }, isDeleted: true, so: undefined },
    { is: "of another owner", pod: { labels, ...by("2") }, so: undefined },
    { is: "an orphan that is matched", pod: { labels }, so: "adopt" },
    { is: "an orphan that a deleted owner matches", pod: { labels }, isDeleted: true, so: undefined },
    { is: "a terminating orphan", pod: { labels, ...gone }, so: undefined },
    { is: "an orphan with other labels", pod: { labels: { app: "db" } }, so: undefined },
    { is: "an orphan with owners that are no controllers", pod: { labels, ownerReferences: [] }, so: "adopt" },
  ])("$is: $so", ({ pod, isDeleted, so }) => {
    const found = claims(isDeleted ? object({ ...owner.metadata, ...gone }) : owner, selector, [object(pod)]);
    expect(Object.entries(found).flatMap(([what, pods]) => (pods.length > 0 ? [what] : []))).toEqual(so ? [so] : []);
  });
});
