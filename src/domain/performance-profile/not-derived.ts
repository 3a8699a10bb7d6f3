const reason = "NotDerived";

/** What users must know until a controller derives objects from PerformanceProfiles in the cluster. */
export function notDerived({ hasPools }: { readonly hasPools: boolean }): {
  readonly reason: string;
  readonly message: string;
} {
  return {
    reason,
    message: hasPools
      ? "the operator derives nothing from PerformanceProfiles yet: generate the objects with attune render, and apply them"
      : "the operator derives nothing from PerformanceProfiles yet, and this cluster has no MachineConfigPools: attune render --plain writes a Tuned for these nodes, to be applied, and the kubelet settings, to be set by hand",
  };
}
