import type { Container, LifecycleHandler, Probe } from "kubernetes-types/core/v1.js";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { atLeast, validPort } from "../../bounds.ts";
import { validatePortOrName } from "./ports.ts";

const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

export function validateLifecycleAndProbes(container: Container, at: string): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...(lifecycle?.postStart ? validateHandler(lifecycle.postStart, `${at}.lifecycle.postStart`) : []),
    ...(lifecycle?.preStop ? validateHandler(lifecycle.preStop, `${at}.lifecycle.preStop`) : []),
    ...validateProbe(livenessProbe, `${at}.livenessProbe`, "succeeds once"),
    ...validateProbe(readinessProbe, `${at}.readinessProbe`, "any"),
    ...validateProbe(startupProbe, `${at}.startupProbe`, "succeeds once"),
  ];
}

/** Init containers without restartPolicy Always run to completion, and so have no probes. */
export function forbidProbes(container: Container, at: string): FieldError[] {
  return (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
    .filter((field) => container[field])
    .map((field) => forbidden(`${at}.${field}`, "may not be set for init containers without restartPolicy=Always"));
}

function validateProbe(probe: Probe | undefined, at: string, threshold: "any" | "succeeds once"): FieldError[] {
  if (!probe) return [];
  const errors = validateHandler(probe, at);
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const)
    errors.push(...atLeast(probe[field], 0, `${at}.${field}`));
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(`${at}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
  if (threshold === "succeeds once" && (probe.successThreshold ?? 1) > 1)
    errors.push(invalid(`${at}.successThreshold`, probe.successThreshold, "must be 1"));
  return errors;
}

function validateHandler(handler: Handler, at: string): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const kind of handlers) {
    if (!handler[kind]) continue;
    if (++found > 1) errors.push(forbidden(`${at}.${kind}`, "may not specify more than 1 handler type"));
    else errors.push(...validateAction(handler, kind, `${at}.${kind}`));
  }
  if (found === 0) errors.push(required(at, "must specify a handler type"));
  return errors;
}

function validateAction(handler: Handler, kind: (typeof handlers)[number], at: string): FieldError[] {
  switch (kind) {
    case "exec":
      return handler.exec?.command?.length ? [] : [required(`${at}.command`)];
    case "httpGet": {
      const { path, port, scheme } = handler.httpGet ?? { port: 0 };
      return [
        ...(path ? [] : [required(`${at}.path`)]),
        ...validatePortOrName(port, `${at}.port`),
        ...(["HTTP", "HTTPS"].includes(scheme ?? "") ? [] : [notSupported(`${at}.scheme`, scheme, ["HTTP", "HTTPS"])]),
      ];
    }
    case "tcpSocket":
      return validatePortOrName(handler.tcpSocket?.port ?? 0, `${at}.port`);
    case "grpc":
      return validPort(handler.grpc?.port ?? 0, `${at}.port`);
    default:
      return atLeast(handler.sleep?.seconds, 0, `${at}.seconds`);
  }
}
