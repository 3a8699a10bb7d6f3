import type { PoolArguments } from "../../node-tuning/boot/boot-arguments.ts";

/** One side of a change: boot arguments as Tuneds give them, without the hardware of nodes. */
type Given = readonly string[];

/** Of an argument that depends on the hardware of its node. */
export const unknownValue = "…";

/**
 * The boot arguments that nodes will report. What they report now counts, changed as the texts of the Tuneds change: most
 * arguments depend on nothing else. Undefined: the change leaves them alone.
 */
export function plannedArguments(now: Given, before: Given, after: Given): readonly string[] | undefined {
  if (before.join(" ") === after.join(" ")) return undefined;
  const added = after.filter((one) => !before.includes(one)).map(readable);
  const lost = new Set(before.filter((one) => !after.includes(one)));
  const replacedKeys = new Set(
    [...lost, ...added].filter((one) => readable(one).endsWith(`=${unknownValue}`)).map(keyOf),
  );
  return [...now.filter((one) => !lost.has(one) && !replacedKeys.has(keyOf(one))), ...added];
}

/** The arguments on which the nodes of a NodePool agree. */
export function argumentsOf(agreed: readonly PoolArguments[], nodePool: string): Given {
  const found = agreed.find(({ pool }) => pool === nodePool)?.outcome;
  return found?.type === "agreed" ? found.arguments : [];
}

/** Variables and functions of TuneD stay in what could not be resolved. */
function readable(argument: string): string {
  return argument.includes("${") ? `${keyOf(argument)}=${unknownValue}` : argument;
}

function keyOf(argument: string): string {
  return argument.split("=", 1)[0] ?? "";
}
