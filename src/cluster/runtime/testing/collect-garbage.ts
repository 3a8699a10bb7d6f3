import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Frees now what nothing refers to: memory that is measured before depends on when V8 last did. */
export const collectGarbage = runInNewContext("gc") as () => void;
