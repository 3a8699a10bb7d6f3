/** A limit on the cost of expanding one profile, so that a hostile one ends with a problem and not with the node's memory. */
export interface Budget {
  /** Charges for a value into which variables were inserted; false if it is too long or the budget is used up. */
  insert(characters: number): boolean;
  /** Charges for other text that was made; false when the budget is used up. */
  write(characters: number): boolean;
  /** Charges for searching a text for a pattern; false when the budget is used up. */
  search(pattern: number, text: number): boolean;
}

/**
 * The longest value with variables inserted, in characters: a kernel command line or a sysctl has a few thousand. Variables
 * that double the one before would otherwise cost seconds.
 */
export const longestInsertion = 64 * 1024;
/** The longest text of a profile or result of a function, in characters. */
export const longestText = 1024 * 1024;

const mostInserted = 16 * longestInsertion;
const mostCharacters = 16 * longestText;
const mostSearchSteps = 4e9;

export function newBudget(): Budget {
  let characters = mostCharacters;
  let inserted = mostInserted;
  let steps = mostSearchSteps;
  return {
    insert(wanted) {
      inserted -= wanted;
      return wanted <= longestInsertion && inserted >= 0;
    },
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
