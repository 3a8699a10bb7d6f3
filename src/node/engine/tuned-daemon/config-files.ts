import { parseGlobalConfig, truthOf } from "../../../language/tuned/text/global-config.ts";
import type { ApplyOptions } from "../engine.ts";
import type { RenderedProfile } from "./render-profile.ts";

export const mainConfig = "/etc/tuned/tuned-main.conf";

/** TuneD's configuration files, by path, that make it apply this profile and no other. */
export function configFiles(
  { name, text }: RenderedProfile,
  main: string | undefined,
  { reapplySysctl }: Pick<ApplyOptions, "reapplySysctl"> = {},
): Map<string, string> {
  const files = new Map([
    [`/etc/tuned/${name}/tuned.conf`, text],
    ["/etc/tuned/active_profile", `${name}\n`],
    ["/etc/tuned/profile_mode", "manual\n"],
    // TuneD merges a post-loaded profile into every other; where it applies, the rendered profile has it already.
    ["/etc/tuned/post_loaded_profile", ""],
    // Makes `tuned-adm recommend` name this profile: it sorts before TuneD's own file.
    ["/etc/tuned/recommend.d/00-attune.conf", `[${name}]\n`],
  ]);
  const wanted = withReapply(asDaemon(main), reapplySysctl?.enabled);
  if (wanted !== main) files.set(mainConfig, wanted);
  return files;
}

/** TuneD must keep running, because some settings end with its process; its other options stay. */
function asDaemon(main: string | undefined): string {
  if (main === undefined) return "daemon = 1\n";
  return main.replaceAll(/^[ \t]*daemon[ \t]*=.*$/gm, (line) => (isOn(line) ? line : "daemon = 1"));
}

/** Sets whether the node's own sysctl files win; without a choice the node's setting stays. */
function withReapply(main: string, enabled: boolean | undefined): string {
  if (enabled === undefined) return main;
  const { options } = parseGlobalConfig(main, mainConfig);
  if (options.get("reapply_sysctl") === enabled) return main;
  const others = main.replaceAll(/^[ \t]*reapply_sysctl[ \t]*=.*\n?/gm, "");
  return `${others}${others === "" || others.endsWith("\n") ? "" : "\n"}reapply_sysctl = ${enabled ? 1 : 0}\n`;
}

function isOn(line: string): boolean {
  const value = line.slice(line.indexOf("=") + 1).replace(/\s#.*$/, "");
  return truthOf(value) === true;
}
