import { errorText } from "../error-text.ts";
import type { Log } from "./log.ts";

/** Runs a program whose log has JSON lines: the error that ends it is one too. Sets the exit code of the process. */
export async function logFailure(log: Log, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.error({}, errorText(error));
    process.exitCode = 1;
  }
}
