export type Option = readonly [key: string, value: string];

/** A section of a TuneD profile. */
export interface Section {
  readonly name: string;
  /** Why it is there, for whoever looks at a node at night. One line. */
  readonly why?: string;
  readonly options: readonly Option[];
}

/** The options if they are wanted, otherwise none. */
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

/** Lines of a value beyond its first are indented: that is what makes them part of it. */
function formatOption([key, value]: Option): string {
  return `${key}=${value.replaceAll("\n", "\n    ")}`;
}
