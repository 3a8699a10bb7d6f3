import type { BuiltIn } from "./built-in.ts";
import { cpuListFunctions } from "./cpu-list-functions.ts";
import { nodeFunctions } from "./node-functions.ts";
import { textFunctions } from "./text-functions.ts";
import { topologyFunctions } from "./topology-functions.ts";

/** Every function that TuneD 2.28 has. */
export const builtIns: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>(
  Object.entries({ ...cpuListFunctions, ...nodeFunctions, ...textFunctions, ...topologyFunctions }),
);
