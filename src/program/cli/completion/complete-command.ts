/** What scripts for shells call with the words of a line, of which the last is being typed. */
export const completeCommand = "__complete";
