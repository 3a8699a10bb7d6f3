/** What users must know until a controller derives objects from PerformanceProfiles in the cluster. */
export const notDerived = {
  reason: "NotDerived",
  message:
    "the operator derives nothing from PerformanceProfiles yet: generate the objects with attune render, and apply them",
} as const;
