/** GRUB's configuration texts, with the two variables that carry TuneD's kernel arguments and image. */

export interface BootVariables {
  /** Escaped for double quotes. */
  readonly tuned_params: string;
  readonly tuned_initrd: string;
}

const names = ["tuned_params", "tuned_initrd"] as const;
const begin = "### BEGIN /etc/grub.d/00_tuned ###";
const end = "### END /etc/grub.d/00_tuned ###";

/** Adds the variables to every kernel of `grub.cfg` but the rescue ones, and sets them. */
export function patchGrubConfig(text: string, variables: BootVariables): string {
  const complete =
    names.every((name) => isSet(name).test(text) && text.includes(`$${name}`)) &&
    // Some generators drop one of them.
    count(text, "$tuned_params") === count(text, "$tuned_initrd");
  if (complete) return setVariables(text, variables);
  return unpatched(text)
    .split("\n")
    .flatMap((line) => {
      if (/^\s*###\s+END\s+[^#]+\/00_header\s+### *$/.test(line)) return [line, "", ...block(variables)];
      return [withVariable(line)];
    })
    .join("\n");
}

/** What a grub.cfg had of the variables before it was patched. */
export interface GrubConfigBefore {
  readonly sets: boolean;
  readonly uses: boolean;
}

export function grubConfigBefore(text: string): GrubConfigBefore {
  return {
    sets: names.some((name) => isSet(name).test(text)),
    uses: names.some((name) => text.includes(`$${name}`)),
  };
}

/** In the file as it is by now: GRUB's own tools may have written it since, with the variables. */
export function unpatchGrubConfig(text: string, { sets, uses }: GrubConfigBefore): string {
  const unset = sets ? setVariables(text, { tuned_params: "", tuned_initrd: "" }) : withoutBlock(text);
  return uses ? unset : withoutUses(unset);
}

function isSet(name: string): RegExp {
  return name === "tuned_params" ? /\bset\s+tuned_params\s*=/ : /\bset\s+tuned_initrd\s*=/;
}

function count(text: string, word: string): number {
  return text.split(word).length - 1;
}

function setVariables(text: string, variables: BootVariables): string {
  return text
    .split("\n")
    .map((line) => {
      const match = /\bset\s+(tuned_params|tuned_initrd)\s*=/.exec(line);
      if (!match) return line;
      const name = match[1] === "tuned_params" ? "tuned_params" : "tuned_initrd";
      return `${line.slice(0, match.index + match[0].length)}"${variables[name]}"`;
    })
    .join("\n");
}

function block(variables: BootVariables): string[] {
  return [begin, ...names.map((name) => `set ${name}="${variables[name]}"`), end];
}

/** Rescue entries stay without the profile's arguments. */
function withVariable(line: string): string {
  const match = /^\s*(linux|initrd)(?:16|efi)?\s+(\S*)/.exec(line);
  if (!match || /.rescue/.test(match[2] ?? "")) return line;
  return `${line} $${match[1] === "linux" ? "tuned_params" : "tuned_initrd"}`;
}

function unpatched(text: string): string {
  return withoutUses(withoutBlock(text));
}

function withoutBlock(text: string): string {
  const lines = text.split("\n");
  return (
    lines
      // The blank line before the block came with it.
      .filter((line, index) => line !== begin && line !== end && !(line === "" && lines[index + 1] === begin))
      .filter((line) => !/^\s*set\s+tuned_(params|initrd)\s*=/.test(line))
      .join("\n")
  );
}

function withoutUses(text: string): string {
  return text.replaceAll(/ ?\$tuned_(params|initrd)\b/g, "");
}

const overlays = [
  ["GRUB_CMDLINE_LINUX_DEFAULT", "tuned_params"],
  ["GRUB_INITRD_OVERLAY", "tuned_initrd"],
] as const;

/** `/etc/default/grub`, from which GRUB's tools generate configurations with the variables. */
export function patchGrubDefaults(text: string): string {
  if (text === "") return text;
  return usesEntryFiles(text) ? withoutOverlay(text) : withOverlays(text);
}

/** The lines for the variables that it had before it was patched. */
export function grubDefaultsBefore(text: string): string[] {
  const lines = new Set(text.split("\n"));
  return overlayLines().filter((line) => lines.has(line));
}

export function unpatchGrubDefaults(text: string, before: readonly string[]): string {
  const added = new Set(overlayLines().filter((line) => !before.includes(line)));
  return text
    .split("\n")
    .filter((line) => !added.has(line))
    .join("\n");
}

function overlayLines(): string[] {
  return overlays.map(([key, variable]) => overlay(key, variable));
}

function withOverlays(text: string): string {
  let result = text;
  for (const [key, variable] of overlays) {
    const present = result
      .split("\n")
      .some((line) => new RegExp(String.raw`^[^#]*\b${key}\s*=.*\\\$${variable}\b`).test(line));
    if (!present) result = `${result}${result.endsWith("\n") ? "" : "\n"}${overlay(key, variable)}\n`;
  }
  return result;
}

/** Boot loader entries in files of their own get the variables from the environment block; both would add them twice. */
function withoutOverlay(text: string): string {
  const [key, variable] = overlays[0];
  const lines = text.split("\n");
  const others = lines.filter((line) => line !== overlay(key, variable));
  if (others.length === lines.length) return text;
  const result = others.join("\n");
  return result.endsWith("\n") ? result : `${result}\n`;
}

function overlay(key: string, variable: string): string {
  return `${key}="\${${key}:+$${key} }\\$${variable}"`;
}

function usesEntryFiles(defaults: string): boolean {
  return /^\s*GRUB_ENABLE_BLSCFG\s*=\s*"?\s*true\s*"?\s*$/im.test(defaults);
}
