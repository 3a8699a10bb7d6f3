/** Loaded when the command runs, as one bundle. */
export { perftune } from "./perftune.ts";
export { processTerminal } from "../terminal/terminal.ts";
