/** Where the disk with the program is mounted in the guest. */
export const programFolder = "/opt/attune";
export const guestName = "guest";
/** Name of the virtio port on which the guest takes commands. */
export const portName = "attune.test";

export interface GuestFile {
  readonly text: string;
  readonly mode?: number;
}

/**
 * Takes commands of the test: each line is an id and a script in base64, each answer the id, the exit code and both outputs.
 * It needs neither network nor keys, and the line that it begins with is the event of a finished boot.
 */
const channel = `#!/bin/bash
until [ -e /dev/virtio-ports/${portName} ]; do sleep 0.2; done
exec 3<>/dev/virtio-ports/${portName}
printf '\\nboot %s %s\\n' "$(cat /proc/sys/kernel/random/boot_id)" "$(cut -d' ' -f1 /proc/uptime)" >&3
while :; do
  # As long as the emulator has not opened its end, there is nothing to read.
  read -r id script <&3 || { sleep 0.2; continue; }
  bash -c "$(base64 -d <<<"$script")" </dev/null >/run/channel.out 2>/run/channel.err 3>&-
  code=$?
  { printf '\\n%s %s ' "$id" "$code"; base64 -w0 /run/channel.out; printf ' '; base64 -w0 /run/channel.err; printf ' end\\n'; } >&3
done
`;

const channelUnit = `[Unit]
Description=Commands of the test
[Service]
ExecStart=/usr/sbin/test-channel
Restart=always
[Install]
WantedBy=multi-user.target
`;

/** As on hosts that are built as images. The bind mount makes it one of its own, which alone is read-only. */
const readOnlyUsr = `[Unit]
Description=Read-only /usr
DefaultDependencies=no
After=systemd-remount-fs.service
Before=local-fs.target sysinit.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount --bind /usr /usr
ExecStart=/bin/mount -o remount,ro,bind /usr
[Install]
WantedBy=local-fs.target
`;

/** A node's kubelet starts its agent, with its container runtime. */
const agentUnit = `[Unit]
Description=Attune agent
After=network.target containerd.service kubelet.service
RequiresMountsFor=${programFolder}
[Service]
ExecStart=/bin/sh ${programFolder}/start-agent
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
`;

/** A sysctl of the stories, and its value when the first kubelet of the boot was started. */
export const swappiness = "/proc/sys/vm/swappiness";
export const swappinessAtKubelet = "/run/swappiness-at-kubelet";

/** The guest has no pods: of a kubelet it has the service, the configuration and the version. Its container runtime is a real one. */
const kubelet = `#!/bin/sh
[ "$1" = --version ] && exec echo Kubernetes v1.35.0
[ -e ${swappinessAtKubelet} ] || cat ${swappiness} >${swappinessAtKubelet}
exec sleep infinity
`;
const kubeletUnit = `[Unit]
Description=Stand-in for the kubelet
[Service]
ExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --config-dir=/etc/kubernetes/kubelet.conf.d
Restart=always
[Install]
WantedBy=multi-user.target
`;
const kubeletConfig = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n";

/** On a busy host an emulated second is long. */
const longUnit = "[Service]\nTimeoutStartSec=15min\nTimeoutStopSec=15min\n";
const patience = "[Manager]\nDefaultTimeoutStartSec=15min\nDefaultTimeoutStopSec=15min\n";

const network = `[Match]
Driver=virtio_net
[Network]
Address=10.0.2.15/24
Gateway=10.0.2.2
`;

/** On a busy host the kernel's check of its timer fails. */
export const bootArguments = "console=ttyS0 no_timer_check mitigations=off apparmor=0 audit=0 systemd.show_status=1";

const grubDefaults = `GRUB_DEFAULT=0
GRUB_TIMEOUT=0
GRUB_RECORDFAIL_TIMEOUT=0
GRUB_CMDLINE_LINUX_DEFAULT="quiet"
GRUB_CMDLINE_LINUX="${bootArguments}"
GRUB_TERMINAL=serial
`;

export const guestFiles: Readonly<Record<string, GuestFile>> = {
  "/etc/hostname": { text: `${guestName}\n` },
  "/etc/fstab": {
    text: `/dev/vda1 / ext4 defaults 0 1\n/dev/vdb ${programFolder} ext4 ro,nofail,x-systemd.device-timeout=0 0 0\n`,
  },
  "/etc/default/grub": { text: grubDefaults },
  "/etc/systemd/network/10-guest.network": { text: network },
  "/etc/systemd/system.conf.d/patience.conf": { text: patience },
  "/etc/systemd/system/read-only-usr.service": { text: readOnlyUsr },
  "/etc/systemd/system/test-channel.service": { text: channelUnit },
  "/etc/systemd/system/attune-agent.service": { text: agentUnit },
  "/etc/systemd/system/attune-one-shot.service.d/patience.conf": { text: longUnit },
  "/etc/systemd/system/kubelet.service": { text: kubeletUnit },
  "/usr/bin/kubelet": { text: kubelet, mode: 0o755 },
  "/var/lib/kubelet/config.yaml": { text: kubeletConfig },
  "/etc/initramfs-tools/conf.d/small": { text: "MODULES=list\n" },
  "/etc/initramfs-tools/modules": { text: "virtio_pci\nvirtio_blk\n" },
  "/usr/sbin/test-channel": { text: channel, mode: 0o755 },
};

export const enabledUnits = [
  "read-only-usr.service",
  "test-channel.service",
  "attune-agent.service",
  "kubelet.service",
  "containerd.service",
  "systemd-networkd.service",
] as const;

/** No user logs in, and emulation makes every program of a boot slow. */
export const maskedUnits = [
  "systemd-networkd-wait-online.service",
  "systemd-logind.service",
  "getty.target",
  "irqbalance.service",
  "e2scrub_reap.service",
  "e2scrub_all.timer",
  "apt-daily.timer",
  "apt-daily-upgrade.timer",
  "dpkg-db-backup.timer",
  "systemd-update-utmp.service",
  "systemd-update-utmp-runlevel.service",
  "systemd-user-sessions.service",
] as const;
