import type { RenderedProfile } from "./render-profile.ts";

export const mainConfig = "/etc/tuned/tuned-main.conf";

/** Files of TuneD's configuration by path, as they must be for it to apply one profile and no other. */
export function configFiles({ name, text }: RenderedProfile, main: string | undefined): Map<string, string> {
  const files = new Map([
    [`/etc/tuned/${name}/tuned.conf`, text],
    ["/etc/tuned/active_profile", `${name}\n`],
    ["/etc/tuned/profile_mode", "manual\n"],
    // A profile that the node adds to every other would be in none of our previews.
    ["/etc/tuned/post_loaded_profile", ""],
    // For those who ask the node what it should be tuned to; it stands before TuneD's own file.
    ["/etc/tuned/recommend.d/00-attune.conf", `[${name}]\n`],
  ]);
  const daemonic = asDaemon(main);
  if (daemonic !== main) files.set(mainConfig, daemonic);
  return files;
}

/** TuneD must stay to keep what ends with its process; the rest of the node's settings for it are respected. */
function asDaemon(main: string | undefined): string {
  if (main === undefined) return "daemon = 1\n";
  return main.replaceAll(/^[ \t]*daemon[ \t]*=.*$/gm, (line) => (isOn(line) ? line : "daemon = 1"));
}

function isOn(line: string): boolean {
  const value = line.slice(line.indexOf("=") + 1).replace(/\s#.*$/, "");
  return ["1", "yes", "true", "on"].includes(value.trim().toLowerCase());
}
