/** What `main.ts` loads when one of the commands is called: bundled into a file of its own. */
export { create } from "./create.ts";
export { info } from "./info.ts";
export { stopOnSignals } from "../../runtime/signals.ts";
export { processTerminal } from "../tuned/terminal.ts";
