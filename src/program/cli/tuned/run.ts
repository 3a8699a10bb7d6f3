/** The commands together: they share most of what they load, and one file is read faster than twenty. */
export { apply } from "./apply.ts";
export { list } from "./list.ts";
export { resolve } from "./resolve.ts";
export { rollback } from "./rollback.ts";
export { show } from "./show.ts";
export { processTerminal } from "../terminal/terminal.ts";
export { verify } from "./verify.ts";
