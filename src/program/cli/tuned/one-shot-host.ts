import type { Outcome } from "../../../node/host/host.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { syncFiles } from "../../../node/host/sync-files.ts";

/** The host of a command that exits. Settings that need a running process, such as a latency request, end with it. */
export class OneShotHost extends LinuxHost {
  /** Files held open and programs kept running, which end with the command. */
  readonly temporary = new Set<string>();

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
    if (outcome.type === "done" && wanted) this.temporary.add(name);
    else this.temporary.delete(name);
    return outcome;
  }
}
