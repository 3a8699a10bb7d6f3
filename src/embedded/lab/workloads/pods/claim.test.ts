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
  it.each<{ is: string; pod: ObjectMeta; going?: boolean; so: "mine" | "adopt" | "release" | undefined }>([
    { is: "owned and wanted", pod: { labels, ...by("1") }, so: "mine" },
    { is: "owned, wanted and terminating", pod: { labels, ...by("1"), ...gone }, so: "mine" },
    { is: "owned and not wanted", pod: { ...by("1") }, so: "release" },
    { is: "owned and not wanted by one that is going", pod: { ...by("1") }, going: true, so: undefined },
    { is: "of another owner", pod: { labels, ...by("2") }, so: undefined },
    { is: "an orphan that is wanted", pod: { labels }, so: "adopt" },
    { is: "an orphan that is wanted by one that is going", pod: { labels }, going: true, so: undefined },
    { is: "an orphan on its way out", pod: { labels, ...gone }, so: undefined },
    { is: "an orphan of other labels", pod: { labels: { app: "db" } }, so: undefined },
    { is: "an orphan with an owner that is no controller", pod: { labels, ownerReferences: [] }, so: "adopt" },
  ])("$is: $so", ({ pod, going, so }) => {
    const found = claims(going ? object({ ...owner.metadata, ...gone }) : owner, selector, [object(pod)]);
    expect(Object.entries(found).flatMap(([what, pods]) => (pods.length > 0 ? [what] : []))).toEqual(so ? [so] : []);
  });
});
