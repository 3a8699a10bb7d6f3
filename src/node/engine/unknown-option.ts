import type { Setting } from "../../language/tuned/unit.ts";
import type { Step } from "./plugin.ts";

/** TuneD warns of an option that its plug-in does not have, and goes on without it. */
export function unknownOption(type: string, option: string, { from }: Pick<Setting, "from">): Step {
  return { type: "skipped", option, from, message: `is not an option of [${type}]` };
}
