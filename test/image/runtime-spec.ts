import { readFileSync } from "node:fs";

/** The fields of a container in a pod that matter to its runtime. */
export interface Container {
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: {
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    readonly privileged?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly drop: readonly string[] };
  };
}

export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly readOnly?: boolean;
}

/** In the order of their bits: those that every kernel in use has. */
const capabilities = (
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST " +
  "NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE " +
  "SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM " +
  "BLOCK_SUSPEND AUDIT_READ"
)
  .split(" ")
  .map((name) => `CAP_${name}`);

/** A privileged container has all that this machine gives: it may be a container itself. */
function ownCapabilities(): bigint {
  const [, mask = "0"] = /^CapBnd:\t([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return BigInt(`0x${mask}`);
}

/** What a kubelet makes of a container for runc, in the network of this machine, where the API server is. */
export function runtimeSpec(container: Container, rootfs: string, binds: readonly Bind[], cgroup: string): object {
  const { command, args = [], env = [], securityContext } = container;
  const { runAsUser = 0, runAsGroup = 0, privileged = false, readOnlyRootFilesystem = false } = securityContext;
  const { allowPrivilegeEscalation = true } = securityContext;
  const granted = privileged ? capabilities.filter((_, bit) => (ownCapabilities() >> BigInt(bit)) & 1n) : [];
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid: runAsUser, gid: runAsGroup },
      args: [...command, ...args],
      env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin", ...env.map(({ name, value = "" }) => `${name}=${value}`)],
      cwd: "/",
      noNewPrivileges: !allowPrivilegeEscalation,
      capabilities: { bounding: granted, effective: granted, permitted: granted },
    },
    root: { path: rootfs, readonly: readOnlyRootFilesystem },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=64k"] },
      ...binds.map(({ source, target, readOnly = false }) => ({
        destination: target,
        type: "bind",
        source,
        options: ["rbind", readOnly ? "ro" : "rw"],
      })),
    ],
    linux: { cgroupsPath: cgroup, namespaces: ["pid", "ipc", "mount", "uts"].map((type) => ({ type })) },
  };
}
