/** What the API server answered when it was asked for an object. */
export type Answer =
  | "found"
  /** It has a deletionTimestamp. */
  | "terminating"
  /** 404 for this object. */
  | "missing"
  /** 404 that names no object: the API server has no such kind, or a proxy before it knows no such path. */
  | "not served"
  /** 401 */
  | "unauthorized"
  /** 403 */
  | "forbidden"
  /** No answer, or another error. */
  | "unknown";

/** What an agent that ends knows. */
export interface RemovalEvidence {
  /** The answers of now. */
  readonly profile: Answer;
  readonly daemonSet: Answer;
  readonly namespace: Answer;
  /** Whether the DaemonSet existed when the agent started: for an agent that was started by hand, a missing one means nothing. */
  readonly hadDaemonSet: boolean;
  /** What the watches last reported, which stay open when rights and tokens are revoked. */
  readonly watched: {
    readonly profile: "found" | "missing" | "never seen";
    readonly serviceAccount: "found" | "deleted" | "never seen";
  };
}

export interface Removal {
  /** Removed: the node is rolled back. Restarted: it stays tuned, and the next agent goes on. */
  readonly type: "removed" | "restarted";
  readonly because: string;
  /** The answer may be another one in a moment. */
  readonly provisional?: boolean;
}

type Finding = (evidence: RemovalEvidence) => string | undefined;

/** Any of these means that no agent will follow. */
const removals: readonly Finding[] = [
  function profileIsGone({ profile }) {
    return profile === "missing" ? "its Profile is gone" : undefined;
  },
  function definitionIsGone({ profile, daemonSet, namespace }) {
    return profile === "not served" && [daemonSet, namespace].some(isAnswered)
      ? "the CRD of its Profile is gone"
      : undefined;
  },
  function namespaceIsGone({ namespace }) {
    return isGone(namespace) ? "its namespace is being deleted" : undefined;
  },
  function daemonSetIsGone({ daemonSet, hadDaemonSet }) {
    return hadDaemonSet && isGone(daemonSet) ? "its DaemonSet is gone" : undefined;
  },
  function profileWasDeletedBeforeRightsWere({ profile, watched }) {
    return isRefused(profile) && watched.profile === "missing" ? "its Profile is gone" : undefined;
  },
  // The API server accepts a token as long as its pod and its ServiceAccount exist. A new signing key and a pod that was
  // deleted by force are refused alike, and then the ServiceAccount still exists.
  function serviceAccountWasDeleted({ profile, watched }) {
    return profile === "unauthorized" && watched.serviceAccount === "deleted"
      ? "its ServiceAccount was deleted"
      : undefined;
  },
];

/**
 * Whether an agent that ends was removed, or is only restarted, upgraded or evicted. docs/decisions/0017 has the reasons. Without
 * a definite answer of the API server the node stays tuned.
 */
export function decideRemoval(evidence: RemovalEvidence): Removal {
  for (const finding of removals) {
    const because = finding(evidence);
    if (because !== undefined) return { type: "removed", because };
  }
  const { profile, watched } = evidence;
  // A server that has just started may refuse before it has read all roles.
  if (profile === "forbidden" && watched.profile === "found")
    return { type: "removed", because: "it may no longer read its Profile", provisional: true };
  // The watch may report the deletion of the ServiceAccount in a moment.
  if (profile === "unauthorized")
    return { type: "restarted", because: "the API server refuses its token", provisional: true };
  return { type: "restarted", because: profile === "found" ? "it is still wanted" : "the API server did not say" };
}

/** Whether it is an answer of the API server. */
export function isAnswered(answer: Answer): boolean {
  return answer !== "unknown" && answer !== "not served";
}

function isGone(answer: Answer): boolean {
  return answer === "missing" || answer === "terminating";
}

function isRefused(answer: Answer): boolean {
  return answer === "unauthorized" || answer === "forbidden";
}
