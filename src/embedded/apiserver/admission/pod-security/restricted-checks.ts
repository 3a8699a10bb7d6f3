import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.js";
import { addedCapabilities } from "./baseline-checks.ts";
import { type Check, containersOf, eachContainer, isWindows, listed, quoted, those } from "./pod-shape.ts";

/** Good practice is required: the level `restricted`, in addition to `baseline`, by the names of the checks. */
export const restrictedChecks: Readonly<Record<string, Check>> = {
  allowPrivilegeEscalation: eachContainer(
    "allowPrivilegeEscalation != false",
    "must set securityContext.allowPrivilegeEscalation=false",
    ({ allowPrivilegeEscalation }, pod) => allowPrivilegeEscalation !== false && !isWindows(pod),
  ),
  capabilities_restricted: (pod) => {
    if (isWindows(pod)) return undefined;
    const reason = "unrestricted capabilities";
    const kept = containersOf(pod).filter(
      ({ securityContext }) => !securityContext.capabilities?.drop?.includes("ALL"),
    );
    const added = addedCapabilities(reason, ["NET_BIND_SERVICE"])(pod)?.detail;
    const all = [
      ...(kept.length > 0 ? [`${listed("container", kept)} must set securityContext.capabilities.drop=["ALL"]`] : []),
      ...(added === undefined ? [] : [added]),
    ];
    return all.length === 0 ? undefined : { reason, detail: all.join("; ") };
  },
  restrictedVolumes: ({ spec }) => {
    const bad = (spec.volumes ?? []).flatMap((volume) => {
      const type = Object.keys(volume).find((key) => key !== "name") ?? "unknown";
      return allowedVolumes.has(type) ? [] : [{ name: volume.name, type }];
    });
    const types = bad.map(({ type }) => type);
    const what = `restricted volume type${new Set(types).size === 1 ? "" : "s"}`;
    return bad.length === 0
      ? undefined
      : {
          reason: "restricted volume types",
          detail: `${listed("volume", bad)} ${bad.length === 1 ? "uses" : "use"} ${what} ${quoted(types)}`,
        };
  },
  runAsNonRoot: (pod) => {
    const reason = "runAsNonRoot != true";
    const ofPod = pod.spec.securityContext?.runAsNonRoot;
    const root = containersOf(pod).filter(({ securityContext }) => securityContext.runAsNonRoot === false);
    if (root.length > 0)
      return { reason, detail: `${listed("container", root)} must not set securityContext.runAsNonRoot=false` };
    const unset = containersOf(pod).filter(({ securityContext }) => securityContext.runAsNonRoot === undefined);
    if (ofPod === true || unset.length === 0) return undefined;
    if (ofPod === false) return { reason, detail: "pod must not set securityContext.runAsNonRoot=false" };
    return { reason, detail: `pod or ${listed("container", unset)} must set securityContext.runAsNonRoot=true` };
  },
  runAsUser: (pod) => {
    const { who, of } = those(pod, (context) => context?.runAsUser === 0);
    return of.length === 0 ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
  },
  seccompProfile_restricted: (pod) => {
    if (isWindows(pod)) return undefined;
    const typeOf = (context: SecurityContext | PodSecurityContext | undefined): string | undefined =>
      context?.seccompProfile?.type;
    const isGood = (type: string | undefined): boolean => type === "RuntimeDefault" || type === "Localhost";
    const ofPod = typeOf(pod.spec.securityContext);
    const bad = containersOf(pod).filter(({ securityContext }) => !isGood(typeOf(securityContext) ?? ofPod));
    const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
    return bad.length === 0
      ? undefined
      : { reason: "seccompProfile", detail: `pod or ${listed("container", bad)} ${must}` };
  },
};

/** Checks of `baseline` that a stricter one replaces. */
export const replacedChecks: ReadonlySet<string> = new Set([
  "capabilities_baseline",
  "hostPathVolumes",
  "seccompProfile_baseline",
]);

const allowedVolumes = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
