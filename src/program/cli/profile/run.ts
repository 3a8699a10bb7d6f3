/** What `main.ts` loads when one of the commands is called: bundled into a file of its own. */
export { check } from "./check.ts";
export { create } from "./create.ts";
export { info } from "./info.ts";
export { readStandardInput } from "../manifest/read-manifests.ts";
export { processTerminal } from "../terminal/terminal.ts";
