import { parseIni, type ParsedSection } from "./ini.ts";
import { directoryOf } from "../chain/path.ts";
import type { Problem } from "../problem.ts";

/** A profile's text as TuneD's parser sees it, every option with the line it stands on. */
export interface ParsedProfile {
  readonly file: string;
  readonly sections: readonly ParsedSection[];
  /** A profile with a problem is not used at all, as TuneD refuses the whole file. */
  readonly problems: readonly Problem[];
}

/** `file` is where the text stands: `${i:PROFILE_DIR}` in it means that file's directory. */
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

/** A backslash keeps it as it is, and stays. */
function withDirectory(value: string, directory: string): string {
  if (!value.includes(placeholder)) return value;
  const pieces = value.split(placeholder);
  return pieces.reduce((text, piece) => text + (text.endsWith("\\") ? placeholder : directory) + piece);
}
