import type { ProfileSpec } from "../../src/domain/node-tuning/api.ts";
import { isPossible, possibleArguments } from "../../src/domain/node-tuning/boot/possible-arguments.ts";

/** Boot arguments that a node may truthfully report: others are refused. Those of the recording, where they are possible. */
export function possibleLine(spec: ProfileSpec, recorded = ""): string[] {
  const possible = possibleArguments(spec);
  if (recorded !== "" && isPossible(recorded, possible)) return recorded.split(" ");
  if (possible.type === "any") return [];
  if (possible.type === "exactly") return [...possible.words];
  const [line = []] = possible.lines;
  const words = line
    .filter(({ isOptional }) => !isOptional)
    .flatMap((part) => part.arguments.flatMap((alternatives) => alternatives.at(-1) ?? []))
    // A number where only the node knows what there is.
    .map((word) => word.replaceAll(/[\u{E000}\u{E001}]+/gu, "1"));
  if (!isPossible(words.join(" "), possible)) throw new Error(`not possible: ${words.join(" ")}`);
  return words;
}
