import type { MachineContents } from "../../../../domain/machine-config/machine-contents.ts";
import { dependsOnHost, type HostContents, onHost } from "../../../../domain/machine-config/plain-hosts/on-host.ts";
import type { Ledger } from "../../../engine/ledger.ts";
import type { Host } from "../../../host/host.ts";
import { hostFacts } from "./host-facts.ts";

/** The contents with the files that this host's kubelet and container runtime read. */
export async function contentsOnHost(contents: MachineContents, host: Host, ledger: Ledger): Promise<HostContents> {
  if (!dependsOnHost(contents)) return { contents, findings: [] };
  return onHost(contents, await hostFacts(host, ledger));
}
