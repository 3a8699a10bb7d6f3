import { parseIni, type ParsedSection } from "./ini.ts";
import { directoryOf } from "../chain/path.ts";
import type { Problem } from "../problem.ts";

/** A profile as TuneD's parser reads it, every option with its line. */
export interface ParsedProfile {
  readonly file: string;
  readonly sections: readonly ParsedSection[];
  /** TuneD refuses the whole file for one problem, so a profile with problems is not used. */
  readonly problems: readonly Problem[];
}

/** `file` is the path of the text: `${i:PROFILE_DIR}` is its directory. */
export function parseProfile(text: string, file: string): ParsedProfile {
  const { sections, problems } = parseIni(text, file);
  if (!text.includes(placeholder)) return { file, sections, problems };
  const directory = directoryOf(file);
  return { file, sections: sections.map((section) => inDirectory(section, directory)), problems };
}

const placeholder = "${i:PROFILE_DIR}";

function inDirectory(section: ParsedSection, directory: string): ParsedSection {
  return {
    ...section,
    options: section.options.map((option) => ({ ...option, value: withDirectory(option.value, directory) })),
  };
}

/** A backslash escapes the placeholder, and stays. */
function withDirectory(value: string, directory: string): string {
  if (!value.includes(placeholder)) return value;
  const pieces = value.split(placeholder);
  return pieces.reduce((text, piece) => text + (text.endsWith("\\") ? placeholder : directory) + piece);
}
