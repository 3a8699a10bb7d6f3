import { decodeCertificates } from "../../../cluster/certificate/serving-certificates.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { createInformer, informerOfOne } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Manager } from "../../../cluster/runtime/controller/manager.ts";
import { EventRecorder } from "../../../cluster/runtime/event/event-recorder.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { firstBootNamespace } from "../../../domain/rollout/first-boot/invitation.ts";
import { invitationController } from "../../../domain/rollout/first-boot/invitation-controller.ts";
import type { NodeWriter } from "../../../domain/rollout/node-writer-controller.ts";
import type { RolloutCaches } from "../../../domain/rollout/rollout-controller.ts";
import { dataOf, endpointController } from "./endpoint-controller.ts";
import { PayloadAnswers } from "./payload-answers.ts";
import { PayloadServer } from "./payload-server.ts";
import { endpointKeys } from "./rbac.ts";

export interface FirstBootOptions {
  /** `host:port` or `:port` to listen on; port 0 picks a free one. */
  readonly address: string;
  /** The URL at which new nodes reach it. Default: on this machine. */
  readonly server?: string | undefined;
  /** Called when tokens can be issued. */
  readonly onReady?: (() => void) | undefined;
}

export interface FirstBootParts {
  /** For caches, reviews and claims, of every replica. */
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  readonly nodeWriter: NodeWriter;
  readonly caches: RolloutCaches;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/** Serves the config of a pool to machines before they are nodes. Every replica answers; the leader renews and cleans up. */
export function addFirstBoot(manager: Manager, options: FirstBootOptions, parts: FirstBootParts): void {
  const { client, writer, nodeWriter, caches, clock, metrics } = parts;
  const log = parts.log.child({ part: "first-boot" });
  const selection = { namespace: firstBootNamespace };
  const invitations = manager.informer(kinds.secret, selection, () =>
    createInformer(client, kinds.secret, { ...selection, clock }),
  );
  const secrets = manager.informer(kinds.secret, endpointKeys, () =>
    informerOfOne(client, kinds.secret, { ...endpointKeys, clock }),
  );
  // The recorder of the leader writes nothing on other replicas.
  const recorder = new EventRecorder({ client, component: "attune-first-boot", clock, log });
  manager.add(recorder, { on: "everywhere" });
  const answers = new PayloadAnswers({ client, caches, invitations, recorder, clock, log, metrics });
  let server = options.server;
  const serving = new PayloadServer({
    address: options.address,
    answer: (request) => answers.answer(request),
    onListening: (port) => (server ??= `https://127.0.0.1:${port}`),
    log,
  });
  let served = "";
  secrets.subscribe(({ object }) => {
    const { "tls.crt": cert = "", "tls.key": key = "" } = decodeCertificates(dataOf(object)) ?? {};
    if (cert === "" || key === "" || cert === served) return;
    served = cert;
    try {
      serving.use({ cert, key });
    } catch (error) {
      log.error({ error }, "the certificate for first boots cannot be used");
    }
  });
  manager.add(serving, { on: "everywhere" });
  const leading = { client: writer, clock, log, metrics };
  const { onReady: onPublished } = options;
  manager.add(endpointController({ ...leading, secrets, server: () => server, onPublished }));
  manager.add(invitationController({ ...leading, invitations, caches, writer: nodeWriter }));
}
