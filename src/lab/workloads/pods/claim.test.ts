import { describe, expect, it } from "vitest";
import { fromLabelSelector } from "../../../object/label-selector.ts";
import type { KubeObject, ObjectMeta } from "../../../object/meta.ts";
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
  it.each<{ is: string; pod: ObjectMeta; going?: boolean; then: "mine" | "adopt" | "release" | undefined }>([
    { is: "owned and wanted", pod: { labels, ...by("1") }, then: "mine" },
    { is: "owned, wanted and terminating", pod: { labels, ...by("1"), ...gone }, then: "mine" },
    { is: "owned and not wanted", pod: { ...by("1") }, then: "release" },
    { is: "owned and not wanted by one that is going", pod: { ...by("1") }, going: true, then: undefined },
    { is: "of another owner", pod: { labels, ...by("2") }, then: undefined },
    { is: "an orphan that is wanted", pod: { labels }, then: "adopt" },
    { is: "an orphan that is wanted by one that is going", pod: { labels }, going: true, then: undefined },
    { is: "an orphan on its way out", pod: { labels, ...gone }, then: undefined },
    { is: "an orphan of other labels", pod: { labels: { app: "db" } }, then: undefined },
    { is: "an orphan with an owner that is no controller", pod: { labels, ownerReferences: [] }, then: "adopt" },
  ])("$is: $then", ({ pod, going, then }) => {
    const found = claims(going ? object({ ...owner.metadata, ...gone }) : owner, selector, [object(pod)]);
    expect(Object.entries(found).flatMap(([what, pods]) => (pods.length > 0 ? [what] : []))).toEqual(
      then ? [then] : [],
    );
  });
});
