import type { Case } from "./case.ts";
import { cpuCases } from "./cpu-cases.ts";
import { hintCases } from "./hint-cases.ts";
import { nodeCases } from "./node-cases.ts";
import { pageCases } from "./page-cases.ts";
import { selectorCases } from "./selector-cases.ts";
import { textCases } from "./text-cases.ts";

/** By what they are about. */
export const allCases: Readonly<Record<string, readonly Case[]>> = {
  CPUs: cpuCases,
  nodes: nodeCases,
  pages: pageCases,
  selectors: selectorCases,
  hints: hintCases,
  texts: textCases,
};
