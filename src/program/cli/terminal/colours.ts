type Paint = (text: string) => string;

export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly cyan: Paint;
  readonly green: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
}

/** Libraries for this look at standard output as soon as they are loaded, and load streams with it. */
export function coloursOf(wanted: boolean): Colours {
  const paint = (on: number, off: number): Paint => {
    const [begin, end] = [`\x1b[${on}m`, `\x1b[${off}m`];
    // What is painted within ends its own paint, and this goes on.
    return wanted ? (text) => `${begin}${text.replaceAll(end, `${end}${begin}`)}${end}` : (text) => text;
  };
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    cyan: paint(36, 39),
    green: paint(32, 39),
    red: paint(31, 39),
    yellow: paint(33, 39),
  };
}
