import { parseGlobalConfig, truthOf } from "../../../language/tuned/text/global-config.ts";
import type { ApplyOptions } from "../engine.ts";
import type { RenderedProfile } from "./render-profile.ts";

export const mainConfig = "/etc/tuned/tuned-main.conf";

/** Files of TuneD's configuration by path, as they must be for it to apply one profile and no other. */
export function configFiles(
  { name, text }: RenderedProfile,
  main: string | undefined,
  { reapplySysctl }: Pick<ApplyOptions, "reapplySysctl"> = {},
): Map<string, string> {
  const files = new Map([
    [`/etc/tuned/${name}/tuned.conf`, text],
    ["/etc/tuned/active_profile", `${name}\n`],
    ["/etc/tuned/profile_mode", "manual\n"],
    // A profile that the node adds to every other would be in none of our previews.
    ["/etc/tuned/post_loaded_profile", ""],
    // For those who ask the node what it should be tuned to; it stands before TuneD's own file.
    ["/etc/tuned/recommend.d/00-attune.conf", `[${name}]\n`],
  ]);
  const wanted = withReapply(asDaemon(main), reapplySysctl?.enabled);
  if (wanted !== main) files.set(mainConfig, wanted);
  return files;
}

/** TuneD must stay to keep what ends with its process; the rest of the node's settings for it are respected. */
function asDaemon(main: string | undefined): string {
  if (main === undefined) return "daemon = 1\n";
  return main.replaceAll(/^[ \t]*daemon[ \t]*=.*$/gm, (line) => (isOn(line) ? line : "daemon = 1"));
}

/** Whether the node's own sysctl files win: as it was asked for, else as the node has it. */
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
