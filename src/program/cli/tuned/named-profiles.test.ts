import { describe, expect, it } from "vitest";
import { profileNames } from "./named-profiles.ts";

describe("names of profiles on the command line", () => {
  it("may come in one argument or in several", () => {
    expect(profileNames(["a  b", "c.d-e_f"])).toEqual(["a", "b", "c.d-e_f"]);
  });

  it.each(["../x", "a/b", "/etc", "..", ".", "a;b", "é", "a\u0000"])("may not be %j", (name) => {
    expect(() => profileNames([name])).toThrow(`${JSON.stringify(name)} is not a profile name`);
  });

  it("are required", () => {
    expect(() => profileNames([" "])).toThrow("no profile named");
  });

  it("are cut in the message when they are very long", () => {
    expect(() => profileNames(["/".repeat(100_000)])).toThrow(/^.{50,250}$/);
  });
});
