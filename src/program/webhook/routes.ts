import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { answerAdmission, type AnsweredAdmission } from "./admission-review.ts";
import { answerConversion } from "./conversion-review.ts";
import type { AdmissionHandler, ConversionHandler, Handlers } from "./handler.ts";
import { admissionPath, conversionPath } from "./registration.ts";
import type { Route } from "./review-server.ts";
import { withoutManagedFields } from "./without-managed-fields.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

export interface RouteDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: WebhookMetrics;
}

const MiB = 1024 * 1024;

/** API servers accept objects of up to 3 MiB, and a review of an update has two of them. */
const maxAdmissionBytes = 8 * MiB;
/** A list: ten objects of the most that etcd stores (1.5 MiB), or more than a thousand profiles of the usual 10 KiB. */
const maxConversionBytes = 16 * MiB;

/** A route for each handler. Every review gets a line in the decision log and is counted in the metrics. */
export function routesOf(handlers: Handlers, dependencies: RouteDependencies): Map<string, Route> {
  return new Map([
    ...handlers.admission.map(
      (handler) =>
        [
          admissionPath(handler),
          {
            answer: admission(handler, dependencies),
            shortened: withoutManagedFields,
            maxBodyBytes: maxAdmissionBytes,
          },
        ] as const,
    ),
    ...handlers.conversion.map(
      (handler) =>
        [
          conversionPath(handler),
          { answer: conversion(handler, dependencies), maxBodyBytes: maxConversionBytes },
        ] as const,
    ),
  ]);
}

function admission(handler: AdmissionHandler, { clock, log, metrics }: RouteDependencies): Route["answer"] {
  return async (body) => {
    const started = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - started) / 1000;
    try {
      const answered = await answerAdmission(handler, body);
      const { review, request, decision } = answered;
      const taken = seconds();
      const record = (): void => {
        metrics.admission(handler.name, request.operation, decision.type === "allow" ? "allowed" : "denied", taken);
        if (decision.verdict) metrics.decision(handler.name, decision.verdict);
        log.info({ handler: handler.name, ...logFields(answered), seconds: taken }, decision.type);
        handler.answered?.(request, decision);
      };
      return { review, record };
    } catch (error) {
      metrics.admission(handler.name, "", "error", seconds());
      throw error;
    }
  };
}

/** Request and decision for the log, without the objects: they may hold secrets. */
function logFields({ request, decision, changes }: AnsweredAdmission): object {
  const { uid, operation, kind, namespace, name, subResource, userInfo, dryRun } = request;
  return {
    uid,
    operation,
    kind: `${kind.group}/${kind.version} ${kind.kind}`,
    namespace,
    name,
    subResource,
    user: userInfo.username,
    dryRun,
    ...decision.verdict,
    ...(changes > 0 ? { changes } : {}),
    ...(decision.type === "deny" ? { reason: decision.message } : {}),
    ...(decision.warnings?.length ? { warnings: decision.warnings } : {}),
  };
}

function conversion(handler: ConversionHandler, { clock, log, metrics }: RouteDependencies): Route["answer"] {
  const { definition } = handler;
  return async (body) => {
    const started = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - started) / 1000;
    try {
      const { review, uid, desired, objects, failure } = answerConversion(handler, body);
      const line = { definition, uid, desired, objects, seconds: seconds() };
      const record = (): void => {
        metrics.conversion(definition, failure === undefined ? "converted" : "failed", objects, line.seconds);
        if (failure === undefined) log.debug(line, "convert");
        else log.warn({ ...line, reason: failure }, "convert");
      };
      return { review, record };
    } catch (error) {
      metrics.conversion(definition, "error", 0, seconds());
      throw error;
    }
  };
}
