import { isObject } from "../../../../language/object/json.ts";
import { readYaml, YamlError } from "../../../../language/object/yaml.ts";
import { type GivenOptions, OptionError, optionKeys, readGiven } from "./option-keys.ts";

export interface OptionsFile {
  readonly given: GivenOptions;
  /** Keys of no option. Files that were written for other versions of perftune may have some. */
  readonly unknownKeys: readonly string[];
}

/** Far more than any options need: a file that expands to more is an attempt to exhaust memory. */
const limits = { tokens: 100_000, characters: 1_000_000 };

/** The text of an options file; an empty one has no options. Throws an OptionError. */
export function readOptionsFile(text: string): OptionsFile {
  const values = parsed(text);
  if (values === null) return { given: {}, unknownKeys: [] };
  if (!isObject(values)) throw new OptionError("options file: not a map of options, such as tune: [net]");
  return {
    given: readGiven(values),
    unknownKeys: Object.keys(values).filter((key) => !Object.hasOwn(optionKeys, key)),
  };
}

function parsed(text: string): unknown {
  try {
    return readYaml(text, limits);
  } catch (error) {
    if (error instanceof YamlError) throw new OptionError(`options file: ${error.message}`, { cause: error });
    throw error;
  }
}
