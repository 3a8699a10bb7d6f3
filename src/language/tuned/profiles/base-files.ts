import { baseDirectory } from "./base-profiles.ts";
import { initrdDirectory } from "./isolation.ts";

const oneCpuPerSocketIsNotIsolated = "isolated_cores=${f:calc_isolated_cores:1}\n";

/** Default variables of the isolation profiles, for nodes that do not have these files. */
export function baseVariableFiles(): Map<string, string> {
  const realtime = `${oneCpuPerSocketIsNotIsolated}isolate_managed_irq=Y\n`;
  return new Map([
    ["/etc/tuned/cpu-partitioning-variables.conf", oneCpuPerSocketIsNotIsolated],
    [
      "/etc/tuned/cpu-partitioning-powersave-variables.conf",
      `${oneCpuPerSocketIsNotIsolated}max_power_state=cstate.name:C1|10\nno_turbo=true\n`,
    ],
    ["/etc/tuned/realtime-variables.conf", realtime],
    ["/etc/tuned/realtime-virtual-host-variables.conf", realtime],
    ["/etc/tuned/realtime-virtual-guest-variables.conf", realtime],
  ]);
}

/** Makes virtual machines exit less often: no clock syncing, no splitting of large pages, no pause loop exits. */
const quietKvm = `options=/etc/modprobe.d/kvm.rt.tuned.conf

quiet_kvm() {
  wanted=
  for pair in kvm:kvmclock_periodic_sync kvm:nx_huge_pages kvm_intel:ple_gap; do
    module=\${pair%%:*} parameter=\${pair#*:}
    if modinfo -p "$module" 2>/dev/null | grep -q "^$parameter:"; then
      wanted="\${wanted}options $module $parameter=0
"
    fi
  done
  if [ -n "$wanted" ]; then printf %s "$wanted" >"$options"; else rm -f "$options"; fi
}
`;

const partitioning = `#!/bin/sh
${quietKvm}
merging=/sys/kernel/mm/ksm/run
# Lasts beyond a boot, as masks do: what the kernel had, services that were not masked, and those of them that ran.
original=/var/lib/attune/ksm

# Same-page merging interrupts every CPU.
keep_pages() {
  if [ ! -e "$original" ]; then
    services= active=
    for service in ksm ksmtuned; do
      systemctl cat "$service" >/dev/null 2>&1 || continue
      [ "$(systemctl is-enabled "$service" 2>/dev/null)" != masked ] || continue
      services="$services $service"
      if systemctl is-active --quiet "$service"; then active="$active $service"; fi
    done
    mkdir -p "\${original%/*}"
    printf '%s\\n' "$(cat "$merging" 2>/dev/null)" "$services" "$active" >"$original"
  fi
  { read -r value && read -r services; } <"$original"
  if [ -n "$services" ]; then systemctl --now --quiet mask $services; fi
  if [ -w "$merging" ]; then echo 2 >"$merging"; fi
}

merge_pages() {
  [ -e "$original" ] || return 0
  { read -r value && read -r services && read -r active; } <"$original"
  if [ -n "$value" ] && [ -w "$merging" ]; then echo "$value" >"$merging"; fi
  if [ -n "$services" ]; then systemctl --quiet unmask $services; fi
  if [ -n "$active" ]; then systemctl start $active; fi
  rm -f "$original"
}

staging=${initrdDirectory}

# The initrd's systemd must not use the isolated CPUs either. TUNED_tmpdir is not used: a profile could name any directory.
stage_initrd() {
  drop_in=/etc/systemd/system.conf.d/00-tuned.conf
  rm -rf "$staging" && mkdir -p "$staging" || return
  if [ -f "$drop_in" ]; then
    mkdir -p "$staging\${drop_in%/*}" && cp "$drop_in" "$staging$drop_in"
  fi
}

case $1 in
  start) stage_initrd && quiet_kvm && keep_pages ;;
  stop)
    if [ "$2" = full_rollback ]; then
      rm -rf "$staging"
      rm -f "$options"
      merge_pages
    fi
    ;;
esac
`;

const virtualHost = `#!/bin/sh
${quietKvm}
off() {
  [ ! -r "$1" ] && return 0
  case $(cat "$1") in 0 | N) ;; *) echo "$1 is not off" >&2 && return 1 ;; esac
}

case $1 in
  start) quiet_kvm ;;
  stop) if [ "$2" = full_rollback ]; then rm -f "$options"; fi ;;
  verify)
    off /sys/module/kvm/parameters/kvmclock_periodic_sync &&
      off /sys/module/kvm/parameters/nx_huge_pages &&
      off /sys/module/kvm_intel/parameters/ple_gap
    ;;
esac
`;

const radios = `radios() {
  for radio in /sys/class/net/*/phy80211; do
    [ -e "$radio" ] || continue
    interface=\${radio%/phy80211}
    iw dev "\${interface##*/}" set power_save "$1"
  done
}
`;

const powersave = `#!/bin/sh
${radios}
case $1 in
  start) radios on ;;
  stop) radios off ;;
esac
`;

const spindown = `#!/bin/sh
${radios}
# A mount point and its options in each line, as they were.
original=/run/attune/spindown-disk

write_rarely() {
  if [ ! -e "$original" ]; then
    mkdir -p "\${original%/*}"
    while read -r _ point type options _; do
      case $type in ext3 | ext4) printf '%s %s\\n' "$point" "$options" ;; esac
    done </proc/mounts >"$original"
  fi
  while read -r point _; do remount "$point" commit=600,noatime; done <"$original"
}

# 0 is the file system's own interval; options that a mount has by default are not listed.
write_as_before() {
  [ -e "$original" ] || return 0
  while read -r point options; do remount "$point" "commit=0,strictatime,$options"; done <"$original"
  rm -f "$original"
}

# The kernel lists a blank as \\040.
remount() { mount -o "remount,$2" "$(printf %b "$1")"; }

case $1 in
  start) write_rarely && radios on ;;
  stop) write_as_before && radios off ;;
esac
`;

/** The scripts of base profiles, by path. The agent writes them to the node before an engine runs them. */
export function baseScripts(): Map<string, string> {
  return new Map([
    [`${baseDirectory}/cpu-partitioning/script.sh`, partitioning],
    [`${baseDirectory}/realtime-virtual-host/script.sh`, virtualHost],
    [`${baseDirectory}/powersave/script.sh`, powersave],
    [`${baseDirectory}/laptop-ac-powersave/script.sh`, powersave],
    [`${baseDirectory}/spindown-disk/script.sh`, spindown],
  ]);
}
