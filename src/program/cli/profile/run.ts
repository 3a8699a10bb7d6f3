/** Loaded when a command runs: a bundle of its own. */
export { check } from "./check.ts";
export { create } from "./create.ts";
export { info } from "./info.ts";
export { readStandardInput } from "../../manifest/read-manifests.ts";
export { processTerminal } from "../terminal/terminal.ts";
