/** Loaded when the command runs: a bundle of its own. */
export { render } from "./render.ts";
