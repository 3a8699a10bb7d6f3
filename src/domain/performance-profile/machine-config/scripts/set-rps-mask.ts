/**
 * Sets which CPUs process packets of a queue, or of all queues of a device. Arguments: a path below /sys as udev and systemd
 * pass it, and the mask. It is no failure if the device was renamed or removed in the meantime.
 */
export const setRpsMask = `#!/bin/sh
set -eu

if [ -z "\${1:-}" ] || [ -z "\${2:-}" ]; then
  echo "usage: $0 DEVICE-PATH MASK" >&2
  exit 1
fi
mask=$2

# On its way through systemd a hyphen became \\x2d, and that may have lost its backslash. A name may contain x2d as well.
path=$(printf %s "$1" | tr -d '\\\\')
last=\${path%x2d*}-\${path##*x2d}
all=$(printf %s "$path" | sed 's/x2d/-/g')
for name in "$path" "$last" "$all"; do
  device=\${ATTUNE_ROOT:-}/sys/$name
  if [ -d "$device" ]; then break; fi
done

case $path in
  *queues*) set -- "$device/rps_cpus" ;;
  *) set -- "$device"/queues/rx-*/rps_cpus ;;
esac
for queue; do
  if [ ! -e "$queue" ]; then
    echo "$queue is not there any more"
  elif ! { echo "$mask" >"$queue"; } 2>/dev/null; then
    echo "$queue does not take the mask $mask"
  fi
done
`;
