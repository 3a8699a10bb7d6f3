import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { at, type Json } from "../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../language/object/meta.ts";
import type { ObjectReference } from "../../language/object/plan.ts";
import { act } from "../../cluster/runtime/act/act.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import {
  type CertificateLives,
  type Certificates,
  defaultLives,
} from "../../cluster/certificate/serving-certificates.ts";
import { keepsConditions, withoutConditions } from "./condition-support.ts";
import { decideRegistration, type Publication } from "./decide.ts";
import type { AdmissionHandler, Handlers } from "./handler.ts";
import { admissionConfigurations, configurationName, type Target } from "./registration.ts";

export interface RegistrationOptions {
  readonly client: Client;
  readonly manager: Manager;
  readonly handlers: Handlers;
  readonly target: Target;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Called with the certificates when they are first read, and when they change. */
  readonly serve: (certificates: Certificates) => void;
  /** Called once, when API servers can find and trust the webhook. */
  readonly onRegistered?: (() => void) | undefined;
  readonly lives?: CertificateLives | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export interface Registration {
  readonly controller: Controller;
  readonly registered: boolean;
  /** Empties the admission configurations, for when no webhook answers at their address any more. */
  remove(): Promise<void>;
}

const fieldManager = "attune-webhook";
const longestPauseMs = 24 * 60 * 60 * 1000;
const key = "registration";

const configurationKinds: Record<AdmissionHandler["type"], KindRef> = {
  mutating: kinds.mutatingWebhookConfiguration,
  validating: kinds.validatingWebhookConfiguration,
};

/** Creates, publishes and rotates certificates. Replicas agree on one set through the Secret. */
export function registration(options: RegistrationOptions): Registration {
  const { client, handlers, target, secret, serve, lives = defaultLives, clock = systemClock, log = noLog } = options;
  const informers = watched(options);
  const find = ({ kind, metadata }: ObjectReference): KubeObject | undefined =>
    informers.find((one) => one.kind.kind === kind && one.name === metadata.name)?.informer.get(keyOf({ metadata }));
  const refOf = (kind: string): KindRef => {
    const found = informers.find((one) => one.kind.kind === kind);
    if (!found) throw new TypeError(`the webhook registers no ${kind}`);
    return found.kind;
  };
  let served = "";
  let registered = false;
  let published: Publication | undefined;
  let wasRegistered = false;
  let usable = handlers;

  const findUsable = async (signal: AbortSignal): Promise<Handlers> => {
    for (const configuration of admissionConfigurations(handlers.admission, target, "")) {
      const kind = refOf(configuration.kind);
      if (find(configuration) && !(await keepsConditions({ client, kind, signal }, configuration))) {
        if (usable === handlers)
          log.warn(
            {},
            "the API server drops matchConditions and would send every pod: pods and nodes are not reviewed, workload partitioning needs Kubernetes 1.28",
          );
        return { ...handlers, admission: withoutConditions(handlers.admission) };
      }
    }
    return handlers;
  };

  /** In one write, so that the CRD never lacks a conversion webhook. */
  const replaceConversion = async ({ metadata, spec }: KubeObject, signal: AbortSignal): Promise<void> => {
    const operations = [
      { op: "replace" as const, path: "/spec/conversion", value: at({ spec }, "spec", "conversion") as Json },
    ];
    await client.patch(
      kinds.customResourceDefinition,
      metadata.name ?? "",
      { type: "json", operations },
      { fieldManager, signal },
    );
  };

  const controller = new Controller({
    name: "webhook-registration",
    clock,
    log,
    sources: informers.map(({ informer }) => source(informer, () => [key])),
    async reconcile(_key, { signal, log }) {
      // An API server can be upgraded.
      if (!registered || usable !== handlers) usable = await findUsable(signal);
      const observed = find({ apiVersion: "v1", kind: "Secret", metadata: secret });
      const now = clock.now();
      const decision = decideRegistration({
        handlers: usable,
        target,
        secret: { ...secret, observed },
        observed: find,
        published,
        now,
        lives,
      });
      published = decision.published;
      if (decision.serve && decision.serve["tls.crt"] !== served) {
        serve(decision.serve);
        served = decision.serve["tls.crt"];
        log.info({}, "serving with the certificate of the Secret");
      }
      if (decision.registered && !wasRegistered) {
        wasRegistered = true;
        options.onRegistered?.();
      }
      registered = decision.registered;
      for (const definition of decision.replaced) await replaceConversion(definition, signal);
      const result = await act(decision.plan, {
        client,
        kinds: (_apiVersion, kind) => refOf(kind),
        observed: find,
        fieldManager,
        signal,
        log,
      });
      return { ...result, requeueAfterMs: Math.min(result.requeueAfterMs ?? longestPauseMs, longestPauseMs) };
    },
  });
  controller.queue.add(key);
  return {
    controller,
    get registered() {
      return registered;
    },
    async remove() {
      for (const { kind, metadata } of admissionConfigurations(handlers.admission, target, "")) {
        const patch = { type: "merge", patch: { webhooks: [] } } as const;
        await client.patch(refOf(kind), metadata.name ?? "", patch, { fieldManager }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}

interface Watched {
  readonly kind: KindRef;
  readonly name: string;
  readonly informer: Informer;
}

/** Informers for what is written, each for one object: the rights of the webhook name them. */
function watched({ client, manager, handlers, secret, clock }: RegistrationOptions): Watched[] {
  const watch = (kind: KindRef, name: string, more: { namespace?: string; labelSelector?: string } = {}): Watched => {
    const selection = { fieldSelector: `metadata.name=${name}`, ...more };
    const informer = manager.informer(kind, selection, () => createInformer(client, kind, { ...selection, clock }));
    return { kind, name, informer };
  };
  const types = new Set(handlers.admission.map(({ type }) => type));
  return [
    watch(kinds.secret, secret.name, { namespace: secret.namespace }),
    ...[...types].map((type) => watch(configurationKinds[type], configurationName)),
    // CRDs without our label are left alone.
    ...handlers.conversion.map(({ definition }) =>
      watch(kinds.customResourceDefinition, definition, { labelSelector: "app.kubernetes.io/managed-by=attune" }),
    ),
  ];
}
