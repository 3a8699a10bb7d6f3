import { describe, expect, test } from "vitest";
import { expand } from "../../src/language/tuned/expand.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import { type Answer, noAnswers, probeKey } from "../../src/language/tuned/probe.ts";
import { type Resolution, resolve } from "../../src/language/tuned/resolve.ts";
import { normalValue } from "../../src/language/tuned/value.ts";

/** TuneD's quirks in its language; docs/tuned-quirks.md gives the reason for each. */

function resolving(layers: Record<string, string>[], answers = noAnswers): Resolution {
  const parsed = layers.map(
    (texts) => new Map(Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `/${name}/tuned.conf`)])),
  );
  return resolve({ profile: "p", layers: parsed }, answers);
}

function unit(resolution: Resolution, name: string): Record<string, unknown> {
  const found = resolution.type === "resolved" && resolution.profile.units.find((one) => one.name === name);
  if (!found) throw new Error(JSON.stringify(resolution));
  const { type, enabled, devices, options } = found;
  return { type, enabled, devices, ...Object.fromEntries([...options].map(([key, { value }]) => [key, value])) };
}

function expanding(text: string): { text: string; errors: string[] } {
  const { text: result, notices } = expand(text, { variables: new Map(), answers: noAnswers });
  return { text: result, errors: notices.map(({ message }) => message) };
}

describe("fixed", () => {
  test("Q1 a second reference does not load the hidden profile", () => {
    const resolution = resolving([
      { b: "[s]\nk=shipped\n", l: "[main]\ninclude=b\n", r: "[main]\ninclude=b\n" },
      { b: "[s]\nk=own\n", p: "[main]\ninclude=l,r\n" },
    ]);
    expect(unit(resolution, "s")).toMatchObject({ k: "own" });
  });

  test("Q2 variables do not survive until the next resolve", () => {
    resolving([{ p: "[variables]\nwho=q\n" }]);
    expect(resolving([{ p: "[main]\ninclude=${who}\n", q: "" }]).type).toBe("invalid");
    expect(unit(resolving([{ p: "[s]\nk=${who}\n" }]), "s")).toMatchObject({ k: "${who}" });
  });

  test("Q4 a child that names no script does not double its parent's", () => {
    const resolution = resolving([{ b: "[script]\nscript=a.sh\n", p: "[main]\ninclude=b\n[script]\npriority=5\n" }]);
    expect(unit(resolution, "script")).toMatchObject({ script: "/b/a.sh" });
  });

  test("Q7 a call that expands to nothing hides no call after it", () => {
    expect(expanding("${f:strip: }${f:strip: x }")).toEqual({ text: "x", errors: [] });
  });

  test("Q8 ${f} is an error, not the end of the program", () => {
    expect(expanding("${f}")).toEqual({ text: "${f}", errors: ["invalid function name ''"] });
  });

  test("Q9 a bad count of reserved cores is an error, not the end of the program", () => {
    const { text, errors } = expanding("${f:calc_isolated_cores:x}");
    expect(text).toBe("${f:calc_isolated_cores:x}");
    expect(errors).toHaveLength(1);
  });

  test("Q23 normalising takes linear time", () => {
    expect(normalValue(`${"0".repeat(1_000_000)}g`)).toHaveLength(1_000_001);
  });
});

describe("kept", () => {
  test("Q3 type, enabled and devices are reset unless the child repeats them", () => {
    const resolution = resolving([
      {
        b: "[x]\ntype=vm\nenabled=0\ndevices=sda\npriority=7\nk=1\n",
        p: "[main]\ninclude=b\n[x]\nj=2\n",
      },
    ]);
    expect(unit(resolution, "x")).toEqual({ type: "x", enabled: true, devices: "*", k: "1", j: "2" });
    expect(resolution.type === "resolved" && resolution.profile.units[0]?.priority).toBe(7);
  });

  test("Q5 a child's file of variables replaces its parent's", () => {
    const answers = new Map<string, Answer>([
      [probeKey({ type: "file", path: "/a" }), { type: "text", text: "a=1\n" }],
      [probeKey({ type: "file", path: "/b" }), { type: "text", text: "b=2\n" }],
    ]);
    const texts = {
      b: "[variables]\ninclude=/a\n[s]\nk=${a}${b}\n",
      p: "[main]\ninclude=b\n[variables]\ninclude=/b\n",
    };
    expect(unit(resolving([texts], answers), "s")).toMatchObject({ k: "${a}2" });
  });

  test("Q6 an unmatched brace ends expansion, with an error that names the text", () => {
    expect(expanding("[0-9]{2}${f:strip: x }")).toEqual({
      text: "[0-9]{2}${f:strip: x }",
      errors: ["invalid variable syntax, non pair '}' in: '[0-9]{2}${f:strip: x }'"],
    });
  });
});
