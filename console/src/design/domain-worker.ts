import { apiVersion } from "../../../src/domain/performance-profile/api.ts";
import { convertProfile } from "../../../src/domain/performance-profile/conversion/conversion.ts";
import type { ClusterState } from "../../../src/domain/plan/plan-changes.ts";
import { writeYaml } from "../../../src/language/object/write-yaml.ts";
import { clusterState, type DesignCluster } from "./cluster-objects.ts";
import type { DomainCalls, DomainReply, DomainRequest } from "./domain-protocol.ts";
import { forecast } from "./forecast.ts";
import { propose } from "./propose.ts";

type Calls = {
  readonly [Name in keyof DomainCalls]: (asked: DomainCalls[Name]["asked"]) => DomainCalls[Name]["answered"];
};

/** The operator's own functions, in a thread of their own: for thousands of nodes they take longer than a frame. */
function domainCalls(): Calls {
  let cluster: ClusterState = clusterState({ objects: [], hasPools: false, rollsOut: false, version: "", now: "" });
  return {
    cluster(asked: DesignCluster) {
      cluster = clusterState(asked);
      return null;
    },
    forecast: (profile) => forecast(profile, cluster),
    propose: (asked) => propose(asked, cluster),
    convert: (object) => convertProfile(object, apiVersion),
    write: writeYaml,
  };
}

const calls = domainCalls();

addEventListener("message", ({ data }: MessageEvent<DomainRequest>) => {
  const start = performance.now();
  postMessage(replyTo(data, start));
});

function replyTo({ id, name, asked }: DomainRequest, start: number): DomainReply {
  try {
    const call = calls[name] as (asked: unknown) => unknown;
    const answered = call(asked);
    return { id, answered, ms: performance.now() - start };
  } catch (error) {
    // The outer edge of this thread: the page shows the message.
    return { id, failed: error instanceof Error ? error.message : String(error) };
  }
}
