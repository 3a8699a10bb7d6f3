import type { Values } from "../option/flag.ts";
import type { rollbackFlags } from "./flags.ts";
import { nativeEngine } from "../../../node/engine/native-engine.ts";
import { pidFile } from "../../../node/engine/tuned-daemon/other-tuned.ts";
import type { Host } from "../../../node/host/host.ts";
import { type ChosenEngine, tunedDaemon } from "./open-engine.ts";
import { clearState } from "../../../node/on-node/removal/clear-state.ts";
import { rollBackNode } from "../../../node/on-node/removal/roll-back-node.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { restoredText } from "./restored-text.ts";
import { checkDirectory } from "./search-path.ts";

export type RollbackOptions = Values<typeof rollbackFlags>;

/** `attune tuned rollback`. Returns the exit code. */
export async function rollback({ root, output }: RollbackOptions, terminal: Terminal): Promise<number> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  const unlock = await lockEngine(root);
  try {
    const { engine, close } = await engineOf(root, host);
    try {
      const { restored } = await rollBackNode(host, () => engine.rollback(host));
      for (const path of await clearState(host)) terminal.err(`note: ${path} stays: Attune did not create it\n`);
      if (output !== "table") terminal.out(await serialised({ restored }, output));
      else terminal.out(`${restoredText(restored, terminal.colours, terminal.columns)}\n`);
      return restored.some(({ failed }) => failed !== undefined) ? 1 : 0;
    } finally {
      close();
    }
  } finally {
    await unlock();
  }
}

/** A TuneD daemon that outlived the process that started it must be stopped first. */
async function engineOf(root: string, host: Host): Promise<Pick<ChosenEngine, "engine" | "close">> {
  const daemon = await host.read(pidFile);
  if (daemon.type !== "missing") return tunedDaemon(root, "");
  return { engine: nativeEngine(), close: () => undefined };
}
