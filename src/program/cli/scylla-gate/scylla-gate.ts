import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { formatTime } from "../../../language/object/time.ts";
import type { OwnPod } from "../../scylla-gate/gate-log.ts";
import { runScyllaGate } from "../../scylla-gate/scylla-gate.ts";
import type { scyllaGateCommandFlags, scyllaGateFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { printableLines, writeOut } from "../terminal/terminal.ts";
import { version } from "../../version.ts";
import { DiskFolder } from "./disk-folder.ts";

/** `attune scylla-gate`: lets the database of its pod start when the node is tuned, until SIGTERM or SIGINT. */
export async function scyllaGate(flags: Values<typeof scyllaGateCommandFlags>): Promise<void> {
  const pod = ownPod(flags);
  const { signal } = stopOnSignals();
  const print = (line: string): void => writeOut(printableLines(`${formatTime(systemClock.now())} ${line}\n`));
  const client = new HttpClient(await loadConnection(flags));
  try {
    print(`attune ${version}: the start gate of pod ${pod.namespace}/${pod.name}`);
    const folder = new DiskFolder(flags.folder);
    print(`ended: ${await runScyllaGate({ client, pod, folder, timeoutMs: flags.timeout, print, signal })}`);
  } finally {
    client.close();
  }
}

export function ownPod({ podName, podNamespace, podUid }: Values<typeof scyllaGateFlags>): OwnPod {
  if (!podName || !podNamespace || !podUid)
    throw new Error(
      "--pod-name, --pod-namespace and --pod-uid are required, or POD_NAME, POD_NAMESPACE and POD_UID in the environment",
    );
  return { name: podName, namespace: podNamespace, uid: podUid };
}
