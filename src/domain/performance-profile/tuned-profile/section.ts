export type Option = readonly [key: string, value: string];

/** A section of a TuneD profile. */
export interface Section {
  readonly name: string;
  /** A comment on one line, for engineers who read the profile on a node. */
  readonly why?: string;
  readonly options: readonly Option[];
}

/** The options if `wanted`, otherwise none. */
export function when(wanted: boolean, ...options: readonly Option[]): readonly Option[] {
  return wanted ? options : [];
}

/** The text that TuneD reads. */
export function formatProfile(sections: readonly Section[]): string {
  return sections
    .map(({ name, why, options }) =>
      [`[${name}]`, ...(why === undefined ? [] : [`# ${why}`]), ...options.map(formatOption), ""].join("\n"),
    )
    .join("\n");
}

/** Further lines of a value are indented, as configparser requires. */
function formatOption([key, value]: Option): string {
  return `${key}=${value.replaceAll("\n", "\n    ")}`;
}
