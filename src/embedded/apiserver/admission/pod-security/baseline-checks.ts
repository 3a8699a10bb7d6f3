import type { SELinuxOptions } from "kubernetes-types/core/v1.js";
import { get } from "../../../../language/object/json.ts";
import { appArmorProfile } from "./app-armor.ts";
import { hostProbes } from "./host-probes.ts";
import {
  type Check,
  containersOf,
  eachContainer,
  hasOwnUsers,
  listed,
  plural,
  quoted,
  type SecuredPod,
  those,
  type Violation,
} from "./pod-shape.ts";

/** Known ways out of a container are closed: the level `baseline`, by the names of the checks. */
export const baselineChecks: Readonly<Record<string, Check>> = {
  appArmorProfile,
  capabilities_baseline: addedCapabilities("non-default capabilities", [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
  ]),
  hostNamespaces: ({ spec }) => {
    const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
    return shared.length === 0
      ? undefined
      : { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
  },
  hostPathVolumes: ({ spec }) => {
    const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath);
    return bad.length === 0 ? undefined : { reason: "hostPath volumes", detail: listed("volume", bad) };
  },
  hostPorts: (pod) => {
    const portsOf = (ports: readonly { hostPort?: number }[] = []) => ports.flatMap(({ hostPort }) => hostPort || []);
    const bad = containersOf(pod).filter(({ ports }) => portsOf(ports).length > 0);
    const ports = [...new Set(bad.flatMap((container) => portsOf(container.ports).map(String)))].toSorted();
    return bad.length === 0
      ? undefined
      : {
          reason: "hostPort",
          detail: `${listed("container", bad)} ${bad.length === 1 ? "uses" : "use"} ${plural("hostPort", ports)} ${ports.join(", ")}`,
        };
  },
  hostProbesAndHostLifecycle: hostProbes,
  privileged: eachContainer(
    "privileged",
    "must not set securityContext.privileged=true",
    ({ privileged }) => privileged === true,
  ),
  procMount: (pod) => (hasOwnUsers(pod) ? undefined : unmaskedProc(pod)),
  seLinuxOptions: (pod) => {
    const { who, of } = those(pod, (context) => selinuxFaults([context?.seLinuxOptions]).length > 0);
    const faults = selinuxFaults(of.map((context) => context?.seLinuxOptions));
    const detail = `${who} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`;
    return of.length === 0 ? undefined : { reason: "seLinuxOptions", detail };
  },
  seccompProfile_baseline: unconfinedSeccomp,
  sysctls: ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safeSysctls.has(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  },
  windowsHostProcess: (pod) => {
    const { who, of } = those(pod, (context) => get(context?.windowsOptions, "hostProcess") === true);
    const detail = `${who} must not set securityContext.windowsOptions.hostProcess=true`;
    return of.length === 0 ? undefined : { reason: "hostProcess", detail };
  },
};

export function addedCapabilities(reason: string, allowed: readonly string[]): Check {
  return (pod) => {
    const addedBy = (context: { capabilities?: { add?: string[] } }): string[] =>
      (context.capabilities?.add ?? []).filter((name) => !allowed.includes(name));
    const bad = containersOf(pod).filter(({ securityContext }) => addedBy(securityContext).length > 0);
    const names = quoted(bad.flatMap(({ securityContext }) => addedBy(securityContext)).toSorted());
    return bad.length === 0
      ? undefined
      : { reason, detail: `${listed("container", bad)} must not include ${names} in securityContext.capabilities.add` };
  };
}

/** The paths of /proc that runtimes hide must stay hidden. */
export const unmaskedProc = eachContainer(
  "procMount",
  'must not set securityContext.procMount to "Unmasked"',
  ({ procMount }) => procMount === "Unmasked",
);

export function unconfinedSeccomp(pod: SecuredPod): Violation | undefined {
  const { who, of } = those(pod, (context) => context?.seccompProfile?.type === "Unconfined");
  const detail = `${who} must not set securityContext.seccompProfile.type to "Unconfined"`;
  return of.length === 0 ? undefined : { reason: "seccompProfile", detail };
}

const selinuxTypes = new Set(["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"]);

function selinuxFaults(options: readonly (SELinuxOptions | undefined)[]): string[] {
  const types = new Set(options.map((option) => option?.type ?? "").filter((type) => !selinuxTypes.has(type)));
  const bad = [...types].toSorted();
  return [
    ...(bad.length > 0 ? [`${plural("type", bad)} ${quoted(bad)}`] : []),
    ...(options.some((option) => option?.user) ? ["user may not be set"] : []),
    ...(options.some((option) => option?.role) ? ["role may not be set"] : []),
  ];
}

/** Those that affect only the pod. */
const safeSysctls = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);
