/** On different nodes, where there are enough. */
export function spreadOverNodes(matchLabels: Readonly<Record<string, string>>): object[] {
  return [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels },
    },
  ];
}

/** Of a container that serves `/healthz` and `/readyz` on this named port. */
export function probesOn(port: string, readySeconds = 10): object {
  const probe = (path: string): object => ({ httpGet: { path, port } });
  return {
    livenessProbe: { ...probe("/healthz"), initialDelaySeconds: 10, periodSeconds: 20 },
    readinessProbe: { ...probe("/readyz"), periodSeconds: readySeconds },
  };
}
