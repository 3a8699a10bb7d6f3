import type { MemoryHost } from "../../../host/memory-host.ts";
import { parseProfile } from "../../../../language/tuned/text/parse-profile.ts";
import { assign } from "../../../../language/tuned/value.ts";
import { FakeDaemon } from "./fake-daemon.ts";

/**
 * Behaves as TuneD does with a profile of sysctls: keeps originals in memory only, undoes them on reload and SIGTERM,
 * and logs that it applied the profile even if that failed.
 */
export class FakeTuned extends FakeDaemon {
  readonly #host: MemoryHost;
  readonly #originals = new Map<string, string>();

  constructor(host: MemoryHost) {
    super();
    this.#host = host;
    this.answer = (to) => void this.#act(to);
  }

  async #act(to: "start" | "SIGHUP" | "SIGTERM" | "SIGKILL"): Promise<void> {
    if (to === "start") this.#originals.clear();
    for (const [path, value] of this.#originals) await this.#host.write(path, value);
    this.#originals.clear();
    if (to === "SIGTERM") return this.exit(0);
    const name = (await this.#text("/etc/tuned/active_profile")).trim();
    this.load(name);
    const profile = parseProfile(await this.#text(`/etc/tuned/${name}/tuned.conf`), name);
    for (const { key, value } of profile.sections.find((section) => section.name === "sysctl")?.options ?? []) {
      const path = `/proc/sys/${key.replaceAll(".", "/")}`;
      const file = await this.#host.read(path);
      if (file.type === "text") this.#originals.set(path, file.text.trim());
      const assigned = assign(value, file.type === "text" ? file.text.trim() : undefined);
      if (assigned.type === "keep") continue;
      const outcome = file.type === "text" ? await this.#host.write(path, assigned.value) : file;
      if (outcome.type !== "done")
        this.log("ERROR", "plugins.plugin_sysctl", `Failed to set sysctl parameter '${key}'`);
    }
    this.applied(name);
  }

  async #text(path: string): Promise<string> {
    const file = await this.#host.read(path);
    return file.type === "text" ? file.text : "";
  }
}
