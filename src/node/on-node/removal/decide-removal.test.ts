import { expect, test } from "vitest";
import { decideRemoval, type RemovalEvidence } from "./decide-removal.ts";

type Given = Partial<Omit<RemovalEvidence, "watched">> & { watched?: Partial<RemovalEvidence["watched"]> };

/** An agent whose objects all exist, as after a restart of its pod. */
function evidence({ watched, ...answers }: Given): RemovalEvidence {
  const found = { profile: "found", daemonSet: "found", namespace: "found", hadDaemonSet: true } as const;
  return { ...found, ...answers, watched: { profile: "found", serviceAccount: "found", ...watched } };
}

const refused = (how: "unauthorized" | "forbidden"): Given => ({ profile: how, daemonSet: how, namespace: how });

test.each<[string, Given, "removed" | "restarted"]>([
  ["restarted, upgraded or evicted", {}, "restarted"],
  ["its Profile is gone", { profile: "missing" }, "removed"],
  ["the CRD of Profiles is gone", { profile: "not served" }, "removed"],
  [
    "the CRD of Profiles is gone, and it may read nothing else",
    { ...refused("forbidden"), profile: "not served" },
    "removed",
  ],
  [
    "a proxy before the API server answers",
    { profile: "not served", daemonSet: "not served", namespace: "not served" },
    "restarted",
  ],
  [
    "a proxy before the API server answers, and not always",
    { profile: "not served", daemonSet: "unknown", namespace: "not served" },
    "restarted",
  ],
  ["its Profile is gone, and it may read nothing else", { ...refused("forbidden"), profile: "missing" }, "removed"],
  ["its DaemonSet is gone", { daemonSet: "missing" }, "removed"],
  ["its DaemonSet waits for its pods to be deleted", { daemonSet: "terminating" }, "removed"],
  ["it was started by hand", { hadDaemonSet: false, daemonSet: "missing" }, "restarted"],
  ["it may not read DaemonSets", { hadDaemonSet: false, daemonSet: "forbidden" }, "restarted"],
  ["it may not read namespaces", { namespace: "forbidden" }, "restarted"],
  ["its namespace is being deleted, pods first", { namespace: "terminating" }, "removed"],
  ["its namespace is gone", { namespace: "missing" }, "removed"],
  ["its roles are gone", refused("forbidden"), "removed"],
  ["it never had a role", { ...refused("forbidden"), watched: { profile: "never seen" } }, "restarted"],
  ["its ServiceAccount was deleted", { ...refused("unauthorized"), watched: { serviceAccount: "deleted" } }, "removed"],
  ["the API server has a new signing key, or its pod was deleted by force", refused("unauthorized"), "restarted"],
  [
    "its token is refused, and it could never watch its ServiceAccount",
    { ...refused("unauthorized"), watched: { serviceAccount: "never seen" } },
    "restarted",
  ],
  [
    "its ServiceAccount was deleted and created again for another purpose, and the token is still accepted",
    { watched: { serviceAccount: "deleted" } },
    "restarted",
  ],
  [
    "its Profile was deleted before its token was refused",
    { ...refused("unauthorized"), watched: { profile: "missing" } },
    "removed",
  ],
  [
    "its Profile was deleted before its roles were",
    { ...refused("forbidden"), watched: { profile: "missing" } },
    "removed",
  ],
  ["the API server cannot be reached", { profile: "unknown", daemonSet: "unknown", namespace: "unknown" }, "restarted"],
  [
    "the API server cannot be reached, although the ServiceAccount was deleted before",
    { profile: "unknown", daemonSet: "unknown", namespace: "unknown", watched: { serviceAccount: "deleted" } },
    "restarted",
  ],
  ["only the answer about its Profile is lost", { profile: "unknown", daemonSet: "missing" }, "removed"],
])("an agent that ends: %s", (_, given, type) => {
  expect(decideRemoval(evidence(given)).type).toBe(type);
});

test.each<[Given, boolean]>([
  [{}, false],
  [{ profile: "missing" }, false],
  [refused("forbidden"), true],
  [refused("unauthorized"), true],
  [{ ...refused("unauthorized"), watched: { serviceAccount: "deleted" } }, false],
  [{ profile: "unknown", daemonSet: "unknown", namespace: "unknown" }, false],
])("after %j it asks again: %s", (given, again) => {
  expect(decideRemoval(evidence(given)).provisional ?? false).toBe(again);
});
