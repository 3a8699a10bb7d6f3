import { expect, it } from "vitest";
import { SmallServer } from "../testing/small-server.ts";
import type { HttpResponse } from "./exchange.ts";
import { sendWarnings } from "./warnings.ts";

function sent(...warnings: string[]): string[] | undefined {
  let headers: string[] | undefined;
  const response = { setHeader: (_: string, values: string[]) => (headers = values) } as unknown as HttpResponse;
  sendWarnings(response, { ...new SmallServer().context("configmaps", {}), warnings });
  return headers;
}

it("warnings are sent once, in full while there is room", () => {
  const long = "x".repeat(1000);
  expect(sent("one", "", "one", long)).toEqual(['299 - "one"', `299 - "${long}"`]);
});

it("too many warnings are cut, and then left out", () => {
  const shown = sent(...Array.from({ length: 40 }, (_, i) => String(i).padEnd(300, "x")));
  expect(shown).toHaveLength(16);
  expect(new Set(shown?.map(({ length }) => length))).toEqual(new Set([256 + '299 - ""'.length]));
});

it("no warning, no header", () => {
  expect(sent()).toBeUndefined();
});
