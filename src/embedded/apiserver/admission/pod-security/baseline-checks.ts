import type { SELinuxOptions } from "kubernetes-types/core/v1.js";
import { at, get } from "../../../../language/object/json.ts";
import { type Check, containersOf, eachContainer, listed, quoted, those } from "./pod-shape.ts";

/** Known ways out of a container are closed: the level `baseline`, by the names of the checks. */
export const baselineChecks: Readonly<Record<string, Check>> = {
  appArmorProfile: eachOrPod("forbidden AppArmor profile", "appArmorProfile"),
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
    const ports = [...new Set(bad.flatMap((container) => portsOf(container.ports)))];
    const what = `hostPort${ports.length === 1 ? "" : "s"}`;
    return bad.length === 0
      ? undefined
      : {
          reason: "hostPort",
          detail: `${listed("container", bad)} ${bad.length === 1 ? "uses" : "use"} ${what} ${ports.join(", ")}`,
        };
  },
  privileged: eachContainer(
    "privileged",
    "must not set securityContext.privileged=true",
    ({ privileged }) => privileged === true,
  ),
  procMount: eachContainer(
    "procMount",
    'must not set securityContext.procMount to "Unmasked"',
    ({ procMount }, { spec }) => procMount === "Unmasked" && (spec as { hostUsers?: boolean }).hostUsers !== false,
  ),
  seLinuxOptions: (pod) => {
    const { who, of } = those(pod, (context) => selinuxFaults(context?.seLinuxOptions).length > 0);
    const faults = [...new Set(of.flatMap((context) => selinuxFaults(context?.seLinuxOptions)))].join("; ");
    const detail = `${who} set forbidden securityContext.seLinuxOptions: ${faults}`;
    return of.length === 0 ? undefined : { reason: "seLinuxOptions", detail };
  },
  seccompProfile_baseline: eachOrPod("seccompProfile", "seccompProfile"),
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

/** A profile of the pod or of a container must not be `Unconfined`. */
function eachOrPod(reason: string, field: "appArmorProfile" | "seccompProfile"): Check {
  return (pod) => {
    const { who, of } = those(pod, (context) => at(context, field, "type") === "Unconfined");
    const detail = `${who} must not set securityContext.${field}.type to "Unconfined"`;
    return of.length === 0 ? undefined : { reason, detail };
  };
}

const selinuxTypes = new Set(["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"]);

function selinuxFaults({ type = "", user, role }: SELinuxOptions = {}): string[] {
  return [
    ...(selinuxTypes.has(type) ? [] : [`type ${JSON.stringify(type)}`]),
    ...(user ? ["user may not be set"] : []),
    ...(role ? ["role may not be set"] : []),
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
