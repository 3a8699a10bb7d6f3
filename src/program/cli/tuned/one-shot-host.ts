import type { Outcome } from "../../../node/host/host.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { syncFiles } from "../../../node/host/sync-files.ts";

/** A host of a command that ends: what lasts only as long as its process lasts no longer than the command. */
export class OneShotHost extends LinuxHost {
  /** Names of files held open and programs kept running: somebody should say that they end. */
  readonly passing = new Set<string>();

  constructor(root: string) {
    super(root, syncFiles);
  }

  override async hold(path: string, hex: string): Promise<Outcome> {
    return this.#note(path, hex !== "", await super.hold(path, hex));
  }

  override async keep(name: string, argv: readonly string[]): Promise<Outcome> {
    return this.#note(name, argv.length > 0, await super.keep(name, argv));
  }

  #note(name: string, wanted: boolean, outcome: Outcome): Outcome {
    if (outcome.type === "done" && wanted) this.passing.add(name);
    else this.passing.delete(name);
    return outcome;
  }
}
