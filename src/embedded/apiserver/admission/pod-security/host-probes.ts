import type { Container, Probe } from "kubernetes-types/core/v1.js";
import { type Check, containersOf, listed, plural, quoted } from "./pod-shape.ts";

/** The kubelet probes from the host's network: a probe of another host would reach what the pod itself may not. */
export const hostProbes: Check = (pod) => {
  const bad = containersOf(pod).filter((container) => hostsOf(container).length > 0);
  const hosts = [...new Set(bad.flatMap(hostsOf))].toSorted();
  const named = bad.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const verb = bad.length === 1 ? "uses" : "use";
  return bad.length === 0
    ? undefined
    : {
        reason: "probe or lifecycle host",
        detail: `${listed("container", named)} ${verb} ${plural("probe or lifecycle host", hosts)} ${quoted(hosts)}`,
      };
};

/** The hosts that the probes and life cycle handlers of a container name. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: (Pick<Probe, "httpGet" | "tcpSocket"> | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers.flatMap((handler) => [handler?.httpGet?.host || [], handler?.tcpSocket?.host || []].flat());
}
