/** What is read of a probe; how it probes stays as it is. */
export interface Probe {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  failureThreshold?: number;
  [field: string]: unknown;
}

export interface Probed {
  startupProbe?: Probe;
  livenessProbe?: Probe;
}

/**
 * How much longer than its author says a database may take to start. Tuning takes a minute or two, and the pull of an image on top. A
 * container that still waits afterwards is restarted by the kubelet, and waits again.
 */
const allowanceSeconds = 1800;

/** Kubernetes' defaults. */
const usual = { periodSeconds: 10, failureThreshold: 3 };

/**
 * A database that waits answers no probe, and the kubelet would restart it. It holds the liveness probe back until a startup probe has
 * succeeded, so the startup probe gets more time; where there is none, a copy of the liveness probe becomes it. A readiness probe alone
 * restarts nothing.
 */
export function patientProbes({ startupProbe, livenessProbe }: Probed): Pick<Probed, "startupProbe"> {
  const probe = startupProbe ?? livenessProbe;
  if (!probe) return {};
  const { periodSeconds, failureThreshold } = { ...usual, ...probe };
  const more = Math.ceil(allowanceSeconds / Math.max(1, periodSeconds));
  return { startupProbe: { ...probe, failureThreshold: failureThreshold + more } };
}
