import { describe, expect, it } from "vitest";
import { profileNames } from "./profile-names.ts";

describe("names of profiles on the command line", () => {
  it("may come in one word or in several", () => {
    expect(profileNames(["a  b", "c.d-e_f"])).toEqual(["a", "b", "c.d-e_f"]);
  });

  it.each(["../x", "a/b", "/etc", "..", ".", "a;b", "é", "a\u0000"])("may not be %j", (name) => {
    expect(() => profileNames([name])).toThrow(`${JSON.stringify(name)} is not a name of a profile`);
  });

  it("must be there", () => {
    expect(() => profileNames([" "])).toThrow("no profile is named");
  });

  it("are not repeated whole when they are absurd", () => {
    expect(() => profileNames(["/".repeat(100_000)])).toThrow(/^.{50,250}$/);
  });
});
