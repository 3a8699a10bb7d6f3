/** What `main.ts` loads when the command is called: bundled into a file of its own. */
export { render } from "./render.ts";
