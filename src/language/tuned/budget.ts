/** A limit on the cost of expanding one profile, so that a hostile one ends with a problem and not with the node's memory. */
export interface Budget {
  /** Charges for text that was made; false when the budget is used up. */
  write(characters: number): boolean;
  /** Charges for searching a text for a pattern; false when the budget is used up. */
  search(pattern: number, text: number): boolean;
}

/** The longest value, in characters. */
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
