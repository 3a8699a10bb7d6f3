import { startServer } from "../apiserver/server.ts";
import { createLog } from "../runtime/log.ts";
import { stopOnSignals } from "../runtime/signals.ts";
import { portOption } from "./port-option.ts";

/** `attune apiserver`: prints one line when it is ready, then serves until it is told to stop. */
export async function apiserver(options: Record<string, string | boolean>): Promise<void> {
  const { signal } = stopOnSignals();
  const server = await startServer({
    dir: String(options.dir),
    port: portOption(options.port),
    fsync: options.fsync === true,
    log: await createLog({ name: "apiserver", level: "warn" }),
  });
  process.stdout.write(`ready ${server.url}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await server.close();
}
