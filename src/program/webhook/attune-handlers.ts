import type { Client } from "../../cluster/kube/client.ts";
import { systemClock } from "../../cluster/runtime/clock.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { group, type Tuned, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { findingsOnWrite, type KnownTuneds } from "../../domain/node-tuning/tuned-findings.ts";
import { defaultRelease, type ReleaseName, releases } from "../../domain/workload-partitioning/release.ts";
import { type CacheOptions, clusterCaches, type ClusterView } from "./cluster-caches.ts";
import { type AdmissionHandler, type AdmissionRule, type Handlers, shortWarning } from "./handler.ts";
import { webhookName } from "./names.ts";
import { partitioningHandlers } from "./partitioning/partitioning-handlers.ts";
import { RefusalEvents } from "./partitioning/refusal-events.ts";
import { scyllaConfigHandler } from "./scylla/config-handler.ts";
import { scyllaHandler } from "./scylla/scylla-handler.ts";
import { performanceProfileConversion, performanceProfileHandler } from "./performance-profile-handler.ts";

export const tunedRules: readonly AdmissionRule[] = [
  { apiGroups: [group], apiVersions: ["v1"], resources: ["tuneds"], operations: ["CREATE", "UPDATE"] },
];

/** Warns on apply about what is wrong with a Tuned. It never refuses one, so writes need not wait for the webhook. */
export function tunedHandler(cluster: { tuneds(): KnownTuneds | undefined }): AdmissionHandler {
  return {
    name: "tuneds",
    type: "validating",
    rules: tunedRules,
    entries: [{ failurePolicy: "Ignore" }],
    timeoutSeconds: 5,
    review: ({ object }) => ({ type: "allow", warnings: object ? warningsAbout(object, cluster.tuneds()) : [] }),
  };
}

/** API servers drop the warnings of a response beyond 4,096 characters. */
const mostWarnings = 15;

function warningsAbout(tuned: Tuned, known: KnownTuneds | undefined): string[] {
  const findings = findingsOnWrite(tuned, known, tuningNamespace).map(({ message }) => shortWarning(message));
  const more = findings.length - mostWarnings;
  return more > 0 ? [...findings.slice(0, mostWarnings), `and ${more} more`] : findings;
}

export interface HandlerOptions extends CacheOptions {
  /** Where the webhook runs. */
  readonly namespace: string;
  /** The release of OpenShift whose rules partition workloads. Default documented. */
  readonly partitioningRelease?: ReleaseName | undefined;
  /** Of the start gates of Scylla databases. Without it they get none. */
  readonly scyllaGateImage?: string | undefined;
}

/** Events in the write queue. Users see refusals besides, so that further ones may be lost. */
const waitingEvents = 100;

/** All handlers of Attune, the caches they answer from, and what writes events about refusals. */
export function attuneHandlers(
  client: Client,
  { namespace, partitioningRelease = defaultRelease, scyllaGateImage, ...options }: HandlerOptions,
): { readonly handlers: Handlers; readonly cluster: ClusterView; readonly events: EventRecorder } {
  const cluster = clusterCaches(client, options);
  const { clock = systemClock, log } = options;
  const events = new EventRecorder({ client, component: webhookName, clock, log, waiting: waitingEvents });
  const refusals = new RefusalEvents({ clock, record: (event) => events.record(event) });
  return {
    handlers: {
      admission: [
        tunedHandler(cluster),
        performanceProfileHandler(cluster),
        ...partitioningHandlers({
          namespace,
          release: releases[partitioningRelease],
          view: cluster.partitioning,
          refusals,
        }),
        ...(scyllaGateImage === undefined
          ? []
          : [scyllaHandler({ namespace, image: scyllaGateImage }), scyllaConfigHandler]),
      ],
      conversion: [performanceProfileConversion],
    },
    cluster,
    events,
  };
}
