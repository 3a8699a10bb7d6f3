import { type Command, Help } from "commander";

/** A wider term has a line of its own: descriptions need the rest of a terminal of 80 columns. */
const widestTerm = 25;

/** How help is laid out, so that every line fits a terminal and breaks between words. */
export const helpFormat: Partial<Help> = {
  subcommandTerm: (command: Command) => command.name(),
  padWidth(command, helper) {
    return Math.min(Help.prototype.padWidth.call(helper, command, helper), widestTerm);
  },
  formatItem(term, width, description, helper) {
    const format = (shown: string): string => Help.prototype.formatItem.call(helper, shown, width, description, helper);
    return term.length > width && description !== "" ? `  ${term}\n${format("")}` : format(term);
  },
};
