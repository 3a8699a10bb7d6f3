import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { isSafeName } from "../../../language/tuned/chain/include.ts";
import type { Tuned } from "../api.ts";
import { rulesOf } from "../rule.ts";
import { problemsOf } from "./tuned-status.ts";

/**
 * What a user should hear when the Tuned is written, from it alone. None of it keeps the write out: manifests that name
 * what is not there yet are applied in any order, and what comes of them is told in the status.
 */
export function tunedWarnings(tuned: Tuned): string[] {
  return [...profileWarnings(tuned), ...rulesOf([tuned]).flatMap(problemsOf)];
}

function profileWarnings({ spec }: Tuned): string[] {
  const warnings: string[] = [];
  const texts = new Map<string, string>();
  for (const [i, { name, data }] of (spec?.profile ?? []).entries()) {
    const place = `profile[${i}]`;
    const known = texts.get(name);
    if (known !== undefined && known !== data)
      warnings.push(`${place}: another profile of the name ${JSON.stringify(name)} has a different text`);
    texts.set(name, data);
    if (!isSafeName(name)) warnings.push(`${place}.name: ${JSON.stringify(name)} cannot be the name of a profile`);
    for (const problem of parseProfile(data, "data").problems)
      warnings.push(`${place}.${formatProblem(problem)}; TuneD refuses the whole profile`);
  }
  return warnings;
}
