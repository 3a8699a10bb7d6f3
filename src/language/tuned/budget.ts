/** What expanding one profile may cost altogether: a hostile one ends with a problem instead of the node's memory. */
export interface Budget {
  /** Whether this much text may still be made. */
  write(characters: number): boolean;
  /** Whether a pattern may still be searched for in a text. */
  search(pattern: number, text: number): boolean;
}

/** The longest text that one value may come to. */
export const longestText = 1024 * 1024;

const mostCharacters = 16 * longestText;
const mostSearchSteps = 4e9;

export function newBudget(): Budget {
  let characters = mostCharacters;
  let steps = mostSearchSteps;
  return {
    write(wanted) {
      characters -= wanted;
      return wanted <= longestText && characters >= 0;
    },
    search(pattern, text) {
      steps -= (pattern + 1) * (text + 100);
      return steps >= 0;
    },
  };
}
