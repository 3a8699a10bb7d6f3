import { addedCapabilities, unconfinedSeccomp, unmaskedProc } from "./baseline-checks.ts";
import {
  type Check,
  containersOf,
  eachContainer,
  hasOwnUsers,
  isWindows,
  listed,
  plural,
  quoted,
  those,
} from "./pod-shape.ts";

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
  procMount_restricted: unmaskedProc,
  restrictedVolumes: ({ spec }) => {
    const bad = (spec.volumes ?? []).flatMap((volume) => {
      const type = Object.keys(volume).find((key) => key !== "name") ?? "unknown";
      return allowedVolumes.has(type) ? [] : [{ name: volume.name, type }];
    });
    const types = [...new Set(bad.map(({ type }) => type))].toSorted();
    return bad.length === 0
      ? undefined
      : {
          reason: "restricted volume types",
          detail: `${listed("volume", bad)} ${bad.length === 1 ? "uses" : "use"} ${plural("restricted volume type", types)} ${quoted(types)}`,
        };
  },
  runAsNonRoot: (pod) => {
    if (hasOwnUsers(pod)) return undefined;
    const reason = "runAsNonRoot != true";
    const { who, of } = those(pod, (context) => context?.runAsNonRoot === false);
    if (of.length > 0) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
    const unset = containersOf(pod).filter(({ securityContext }) => securityContext.runAsNonRoot === undefined);
    if (pod.spec.securityContext?.runAsNonRoot || unset.length === 0) return undefined;
    return { reason, detail: `pod or ${listed("container", unset)} must set securityContext.runAsNonRoot=true` };
  },
  runAsUser: (pod) => {
    const { who, of } = those(pod, (context) => context?.runAsUser === 0);
    if (of.length === 0 || hasOwnUsers(pod)) return undefined;
    return { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
  },
  seccompProfile_restricted: (pod) => {
    if (isWindows(pod)) return undefined;
    const unconfined = unconfinedSeccomp(pod);
    if (unconfined || pod.spec.securityContext?.seccompProfile) return unconfined;
    const unset = containersOf(pod).filter(({ securityContext }) => !securityContext.seccompProfile);
    const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
    return unset.length === 0
      ? undefined
      : { reason: "seccompProfile", detail: `pod or ${listed("container", unset)} ${must}` };
  },
};

/** Checks of `baseline` that a stricter one replaces. */
export const replacedChecks: ReadonlySet<string> = new Set([
  "capabilities_baseline",
  "hostPathVolumes",
  "procMount",
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
