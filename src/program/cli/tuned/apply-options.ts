import type { ApplyOptions } from "../../../node/engine/engine.ts";
import type { Host } from "../../../node/host/host.ts";
import { excludedSysctls, parseGlobalConfig } from "../../../language/tuned/text/global-config.ts";
import { baseDirectory } from "../../../language/tuned/profiles/base-profiles.ts";
import type { Place } from "./search-path.ts";

const mainConfig = "/etc/tuned/tuned-main.conf";

/** What the node's own configuration of TuneD says of sysctls, and where scripts may lie. */
export async function applyOptions(host: Host, places: readonly Place[]): Promise<ApplyOptions> {
  const profileDirectories = [baseDirectory, ...places.map(({ directory }) => directory)];
  const file = await host.read(mainConfig);
  if (file.type !== "text") return { profileDirectories };
  const config = parseGlobalConfig(file.text, mainConfig);
  const enabled = config.options.get("reapply_sysctl") !== false;
  return { profileDirectories, reapplySysctl: { enabled, exclude: excludedSysctls(config) } };
}
