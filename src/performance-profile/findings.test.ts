import { describe, expect, it } from "vitest";
import { findings } from "./findings.ts";
import { allCases } from "./findings/testing/all-cases.ts";
import { profileOf, surroundingsOf } from "./findings/testing/case.ts";

const shown = ({ name, field }: { name: string; field: string }): string => `${name} ${field}`;

describe.each(Object.entries(allCases))("%s", (_, cases) => {
  it.each(cases)("$what", (one) => {
    const found = findings(profileOf(one), surroundingsOf(one));
    expect(found.map(shown)).toEqual(one.finds.map(([name, field]) => shown({ name, field })));
    for (const [position, [, , words = ""]] of one.finds.entries()) expect(found[position]?.message).toContain(words);
  });
});
