import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject } from "../../../language/object/json.ts";
import { type ConsoleOptions, type RunningConsole, startConsole } from "../../console/console-server.ts";
import { version } from "../../version.ts";

/** The page is built beside the bundle. */
export const builtPage = join(dirname(fileURLToPath(import.meta.url)), "console");

/** The file by which `attune console --url` finds a console that runs. Only its user may read it. */
export const consoleFile = "console.json";

interface Access {
  readonly url: string;
  readonly key: string;
}

/** Starts the console of this user on this machine, and lets `attune console --url` find it. */
export async function startOwnConsole(
  dir: string,
  options: Pick<ConsoleOptions, "clusters" | "port" | "signal" | "log"> & { readonly allowedHosts?: readonly string[] },
): Promise<RunningConsole> {
  const running = await startConsole({ ...options, assets: builtPage, version, host: "127.0.0.1", signIn: "link" });
  const file = join(dir, consoleFile);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // Created anew: the mode of a file that is there would stay.
  await rm(file, { force: true });
  const access: Access = { url: running.url, key: running.linkKey };
  await writeFile(file, JSON.stringify(access), { mode: 0o600, flag: "wx" });
  const stopped = running.stopped.then(() => rm(file, { force: true }));
  return { ...running, stopped };
}

/** A console on this machine answers at once. */
const answerMs = 5000;

/** A new address of the console that wrote its access into a folder. Undefined: none runs there. */
export async function newLink(dir: string): Promise<string | undefined> {
  const access = await readAccess(join(dir, consoleFile));
  if (!access) return undefined;
  const { url, key } = access;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), answerMs);
  try {
    const response = await fetch(`${url}/api/link`, {
      method: "POST",
      headers: { Origin: url, "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      body: "{}",
      signal: stop.signal,
    });
    if (!response.ok) return undefined;
    const { token } = (await response.json()) as { token: string };
    return `${url}/#${token}`;
  } catch (error) {
    // The file stays when a console is killed.
    if (error instanceof TypeError || stop.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function readAccess(file: string): Promise<Access | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isObject(value) || typeof value["url"] !== "string" || typeof value["key"] !== "string") return undefined;
    return { url: value["url"], key: value["key"] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
