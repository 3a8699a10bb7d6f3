import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { roleNames } from "./roles.ts";
import { ciede2000, contrast, distance, sights } from "./testing/colour.ts";

const css = readFileSync(new URL("palette.css", import.meta.url), "utf8");
const themes = { light: colours(".cpu-map {"), dark: colours(".pf-v6-theme-dark .cpu-map {") };
/** Offlined CPUs and those in no set are outlines; all others are fills. */
const fills = roleNames.filter((name) => name !== "offlined");

describe("the distance of colours", () => {
  it.each([
    // Of the test data of Sharma, Wu and Dalal.
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, -1.3802, -84.2814], [50, 0, -82.7485], 1],
    [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)("of %j and %j is %d", (a, b, expected) => {
    expect(ciede2000(a, b)).toBeCloseTo(expected, 4);
  });
});

describe.each(Object.entries(themes))("the palette, %s", (_, theme) => {
  const ground = theme.get("ground")!;

  it.each([...roleNames, "none"])("%s: stands out from the ground, and its label from it", (name) => {
    const [fill, label] = [theme.get(name)!, theme.get(`${name}-label`)!];
    if (fill !== ground) expect(contrast(fill, ground)).toBeGreaterThanOrEqual(3);
    expect(contrast(fill, label)).toBeGreaterThanOrEqual(4.5);
  });

  it("the mark of a finding stands out from the ground", () => {
    expect(contrast(theme.get("mark")!, ground)).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(sights))("sets differ in %s sight", (_name, sight) => {
    const pairs = fills.flatMap((a, i) => fills.slice(i + 1).map((b) => [a, b] as const));
    const near = pairs
      .map(([a, b]) => ({ a, b, distance: distance(theme.get(a)!, theme.get(b)!, sight) }))
      .filter(({ distance }) => distance < 19);
    expect(near).toEqual([]);
  });
});

it("forced colours name system colours alone, for every colour of the palette", () => {
  const forced = colours("  .pf-v6-theme-dark .cpu-map {", /:\s*([A-Za-z]+);/);
  expect([...forced.keys()]).toEqual([...themes.light.keys()]);
  expect(new Set(forced.values())).toEqual(new Set(["Canvas", "CanvasText", "GrayText", "Highlight"]));
});

function colours(opening: string, value = /:\s*(#[0-9a-f]{3,6});/): ReadonlyMap<string, string> {
  const start = css.indexOf(`\n${opening}`);
  const block = css.slice(start, css.indexOf("}", start));
  const found = block.split("\n").flatMap((line) => {
    const name = /--cpu-([A-Za-z-]+):/.exec(line)?.[1];
    const colour = value.exec(line)?.[1];
    return name && colour ? [[name, colour] as const] : [];
  });
  expect(found.length).toBeGreaterThan(10);
  return new Map(found);
}
