import type { Outcome } from "../../host/host.ts";
import { LinuxHost } from "../../host/linux-host.ts";

/** A host of a command that ends: what must be held open lasts no longer than the command, and somebody should say so. */
export class OneShotHost extends LinuxHost {
  readonly held = new Set<string>();

  override async hold(path: string, hex: string): Promise<Outcome> {
    const outcome = await super.hold(path, hex);
    if (outcome.type === "done") {
      if (hex === "") this.held.delete(path);
      else this.held.add(path);
    }
    return outcome;
  }
}
