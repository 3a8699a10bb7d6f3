import { machineConfigKind } from "../../../src/domain/machine-config/api.ts";
import type { MachineContents } from "../../../src/domain/machine-config/machine-contents.ts";
import { readContents } from "../../../src/domain/machine-config/read-contents.ts";
import type { Cluster } from "../harness/cluster.ts";

/** What a rendered config puts on a node. */
export async function contentsOf({ client }: Cluster, config: string): Promise<MachineContents> {
  const found = readContents((await client.get(machineConfigKind, config)).spec);
  if (found.type !== "contents") throw new Error(`${config}: ${JSON.stringify(found.problems)}`);
  return found.contents;
}
