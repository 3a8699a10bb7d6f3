import type { FileText, Host } from "../host/host.ts";
import type { Action } from "./action.ts";
import { isFileAction, textAfter } from "./text-after.ts";

/** Reads files as they will be once the actions planned so far are carried out. */
export class PlannedHost {
  readonly #host: Host;
  /** `null`: the file will not exist. */
  readonly #texts = new Map<string, string | null>();

  constructor(host: Host) {
    this.#host = host;
  }

  async read(path: string): Promise<FileText> {
    const text = this.#texts.size === 0 ? undefined : this.#texts.get(await realName(path, this.#host));
    if (text === undefined) return this.#host.read(path);
    return text === null ? { type: "missing" } : { type: "text", text };
  }

  list(path: string): Promise<string[]> {
    return this.#host.list(path);
  }

  real(path: string): Promise<string> {
    return this.#host.real(path);
  }

  run(...args: Parameters<Host["run"]>): ReturnType<Host["run"]> {
    return this.#host.run(...args);
  }

  async intend(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      if (action.type === "write") this.#texts.set(await realName(action.path, this.#host), `${action.value}\n`);
      if (!isFileAction(action)) continue;
      const file = await this.read(action.path);
      const text = textAfter(action, file.type === "text" ? file.text : undefined);
      if (file.type !== "failed") this.#texts.set(await realName(action.path, this.#host), text ?? null);
    }
  }
}

/** Paths of sysctls contain no links, which saves the lookup for most targets. */
export async function realName(path: string, host: Pick<Host, "real">): Promise<string> {
  return path.startsWith("/proc/sys/") ? path : host.real(path);
}
