import { gateName, openPrefix, startPrefix } from "./gate-names.ts";

const marker = "attune-scylla-wait";

/**
 * Every start of the container has a name of its own, so that what let the container before it go on does not let this one. It runs as
 * the container's first process, to which the kernel delivers no signal without a handler. Kubernetes expands `$(` and `$$` in commands,
 * so neither is in it.
 */
const script = `
gate=$1
shift
read -r id 2>/dev/null < /proc/sys/kernel/random/uuid || id=\`date +%s%N\` || exit 1
trap 'echo "attune: stopped before the database was started" >&2; exit 143' TERM INT
if ! (umask 022; : > "$gate/${startPrefix}$id"); then
  echo "attune: cannot write to $gate, so that the database cannot be started" >&2
  exit 1
fi
echo "attune: waiting until the node is tuned for this container; container ${gateName} logs what for" >&2
until [ -e "$gate/${openPrefix}$id" ]; do sleep 1; done
trap - TERM INT
echo "attune: starting the database" >&2
exec "$@"
`;

/** A command that waits in front of another. The container's `args` stay as they are: they follow both. */
export function waitThen(command: readonly string[], folder: string): string[] {
  return ["/bin/sh", "-c", script, marker, folder, ...command];
}

/** The command behind the wait, of any version of it; undefined if there is no wait. */
export function behindWait(command: readonly string[] | undefined): string[] | undefined {
  return command?.[3] === marker && command[1] === "-c" ? command.slice(5) : undefined;
}
