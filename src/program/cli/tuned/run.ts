/** Loaded when a command runs. One bundle for all commands: they share most of their code. */
export { active } from "./active.ts";
export { apply } from "./apply.ts";
export { list } from "./list.ts";
export { recommend } from "./recommend.ts";
export { resolve } from "./resolve.ts";
export { rollback } from "./rollback.ts";
export { show } from "./show.ts";
export { processTerminal } from "../terminal/terminal.ts";
export { verify } from "./verify.ts";
