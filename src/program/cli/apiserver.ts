import { startServer, type ServerOptions } from "../../embedded/apiserver/server.ts";
import { createLog } from "../../cluster/runtime/log/log.ts";
import { lockDirectory } from "../../cluster/runtime/lock-dir.ts";
import { stopOnSignals } from "../../cluster/runtime/signals.ts";
import { whenAborted } from "../../cluster/runtime/clock.ts";
import type { apiserverFlags } from "./flags.ts";
import type { Values } from "./option/flag.ts";
import { logOptions } from "./option/shared-flags.ts";
import { writeOut } from "./terminal/terminal.ts";

/** `attune apiserver`: prints one line when it is ready, then serves until SIGTERM or SIGINT. */
export async function apiserver({ dir, port, fsync, ...flags }: Values<typeof apiserverFlags>): Promise<void> {
  const { signal } = stopOnSignals();
  const unlock = await lockDirectory(dir, { mode: "apiserver" });
  try {
    const log = await createLog({ name: "apiserver", ...logOptions(flags) });
    await serve({ dir, port, fsync, log }, signal);
  } finally {
    await unlock();
  }
}

async function serve(options: ServerOptions, signal: AbortSignal): Promise<void> {
  const server = await startServer(options);
  writeOut(`ready ${server.url}\n`);
  await whenAborted(signal);
  await server.close();
}
