import { describe, expect, test } from "vitest";
import { parseProfile } from "./parse-profile.ts";
import { type Answer, noAnswers, probeKey } from "./probe.ts";
import { formatProblem } from "./problem.ts";
import { baseProfiles } from "./profiles/base-profiles.ts";
import { type Resolution, resolve } from "./resolve.ts";

type Texts = Record<string, string>;

function resolving(profile: string, layers: Texts[], answers = noAnswers): Resolution {
  const parsed = layers.map(
    (texts, i) => new Map(Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `${i}/${name}`)])),
  );
  return resolve({ profile, layers: parsed }, answers);
}

/** `unit key=value` for every option, in order. */
function options(resolution: Resolution): string[] {
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile.units.flatMap(({ name, options }) =>
    [...options].map(([key, { value }]) => `${name} ${key}=${value}`),
  );
}

function problems(resolution: Resolution): string[] {
  return resolution.type === "invalid" ? resolution.problems.map(formatProblem) : [];
}

const merging: { name: string; layers: Texts[]; expected: string[] }[] = [
  {
    name: "a child overrides, parents' options keep their place",
    layers: [{ base: "[sysctl]\na.x=1\nb.x=2\n", p: "[main]\ninclude=base\n[sysctl]\nb.x=20\nc.x=3\n" }],
    expected: ["sysctl a.x=1", "sysctl b.x=20", "sysctl c.x=3"],
  },
  {
    name: "of several includes the later wins",
    layers: [{ b1: "[s]\nk=1\n", b2: "[s]\nk=2\n", p: "[main]\ninclude=b2;\n    b1\n" }],
    expected: ["s k=1"],
  },
  {
    name: "an optional include may be missing",
    layers: [{ p: "[main]\ninclude=-nosuch\n[s]\nk=1\n" }],
    expected: ["s k=1"],
  },
  {
    name: "a profile may extend the one it hides",
    layers: [{ p: "[s]\nk=1\nj=1\n" }, { p: "[main]\ninclude=p\n[s]\nk=2\n" }],
    expected: ["s k=2", "s j=1"],
  },
  {
    name: "a second reference to a profile that hides another does not bring the hidden one back on top",
    layers: [
      { b: "[s]\nk=shipped\n" },
      { b: "[main]\ninclude=b\n[s]\nk=own\n", m: "[main]\ninclude=b\n", p: "[main]\ninclude=b,m\n" },
    ],
    expected: ["s k=own"],
  },
  {
    name: "drop and replace take inherited options away",
    layers: [
      {
        b: "[s]\nk=1\nj=1\n[t]\nk=1\n",
        p: "[main]\ninclude=b\n[s]\ndrop=k, nosuch\n[t]\nreplace=1\nj=2\n",
      },
    ],
    expected: ["s j=1", "t j=2"],
  },
  {
    name: "variables are defined in order, and undefined ones stay as written",
    layers: [{ p: "[variables]\na=1\nb=${a}${c}\nc=3\n[s]\nk=${b} \\${a} ${nosuch}\n" }],
    expected: ["s k=1${c} ${a} ${nosuch}"],
  },
  {
    name: "a variable's value is not read again",
    layers: [{ p: "[variables]\na=\\${b}\nb=1\n[s]\nk=${a}\n" }],
    expected: ["s k=${b}"],
  },
  {
    name: "priorities order the units",
    layers: [{ p: "[s]\npriority=5\nk=1\n[t]\nk=2\n" }],
    expected: ["t k=2", "s k=1"],
  },
];

describe("resolving a profile", () => {
  test.each(merging)("$name", ({ layers, expected }) => {
    expect(options(resolving("p", layers))).toEqual(expected);
  });

  test("each option remembers the file and line that set it, and what that overrode", () => {
    const resolution = resolving("p", [
      { a: "[s]\nk=1\n", b: "[main]\ninclude=a\n[s]\nk=2\n", p: "[main]\ninclude=b\n[s]\nk=3\nk=4\n" },
    ]);
    const setting = resolution.type === "resolved" && resolution.profile.units[0]?.options.get("k");
    expect(setting).toEqual({
      value: "4",
      from: "0/p:5",
      overrides: [
        { value: "1", from: "0/a:2" },
        { value: "2", from: "0/b:4" },
        { value: "3", from: "0/p:4" },
      ],
    });
    expect(resolution).toMatchObject({ profile: { chain: ["a", "b", "p"] } });
  });

  test("a cycle is read once and reported", () => {
    const resolution = resolving("p", [{ a: "[main]\ninclude=p\n[s]\nk=1\n", p: "[main]\ninclude=a\n[s]\nk=2\n" }]);
    expect(options(resolution)).toEqual(["s k=2"]);
    expect(resolution.type === "resolved" && resolution.profile.warnings.map(formatProblem)).toEqual([
      "0/a:2: include cycle p → a → p: read once",
    ]);
  });

  test.each([
    {
      name: "a missing include",
      text: "[main]\ninclude=nosuch\n",
      expected: ['0/p:2: profile "nosuch" does not exist'],
    },
    {
      name: "an unknown function",
      text: "[s]\nk=${f:cpulist2hex:1-2}\n",
      expected: ['0/p:2: function "cpulist2hex" is not supported'],
    },
    {
      name: "an unfinished call",
      text: "[s]\nk=${f:exec:ls\n",
      expected: ['0/p:2: "${" without "}" in "${f:exec:ls"'],
    },
    {
      name: "a condition we cannot judge",
      text: "[s]\nuname_regex=rt\n",
      expected: ["0/p:2: [s] uname_regex is not supported"],
    },
    {
      name: "a file of variables",
      text: "[variables]\ninclude=/etc/x\n",
      expected: ["0/p:2: a file of variables is not supported"],
    },
    { name: "a text that does not parse", text: "[s]\nk\n", expected: ['0/p:2: expected "key = value", found "k"'] },
  ])("$name is a problem that names its place", ({ text, expected }) => {
    expect(problems(resolving("p", [{ p: text }]))).toEqual(expected);
  });

  test("a profile that does not exist is a problem", () => {
    expect(problems(resolving("__proto__", [{}]))).toEqual(['profile "__proto__" does not exist']);
  });

  test("a chain of a thousand includes is refused, not followed until the stack ends", () => {
    const texts: Texts = {};
    for (let i = 0; i < 1000; i++) texts[i === 0 ? "p" : `p${i}`] = `[main]\ninclude=p${i + 1}\n`;
    expect(problems(resolving("p", [texts]))).toEqual(["0/p99:2: more than 100 profiles include one another"]);
  });
});

describe("a question for the node", () => {
  const text = "[main]\ninclude=-x-${f:exec:cat:/provider},base\n[s]\nk=${f:exec:echo:a\\:b}!\n";
  const layers = [{ base: "[s]\nj=1\n", "x-aws": "[s]\nj=2\n", p: text }];
  const provider = { type: "exec" as const, argv: ["cat", "/provider"] };
  const echo = { type: "exec" as const, argv: ["echo", "a:b"] };

  test("is asked before anything is guessed", () => {
    expect(resolving("p", layers)).toEqual({ type: "needs", probes: [provider] });
  });

  test("once answered may lead to the next, and then to the result", () => {
    const answers = new Map<string, Answer>([[probeKey(provider), { type: "text", text: "aws" }]]);
    expect(resolving("p", layers, answers)).toEqual({ type: "needs", probes: [echo] });
    answers.set(probeKey(echo), { type: "text", text: "${f:exec:no}" });
    expect(options(resolving("p", layers, answers))).toEqual(["s j=1", "s k=${f:exec:no}!"]);
  });

  test("without an answer leaves the call as it was written", () => {
    const answers = new Map<string, Answer>([
      [probeKey(provider), { type: "none" }],
      [probeKey(echo), { type: "none" }],
    ]);
    expect(options(resolving("p", layers, answers))).toEqual(["s j=1", "s k=${f:exec:echo:a\\:b}!"]);
  });
});

test("every base profile resolves without asking", () => {
  const layers = [baseProfiles()];
  for (const profile of baseProfiles().keys())
    expect(resolve({ profile, layers }, noAnswers)).toMatchObject({ type: "resolved", profile: { warnings: [] } });
});
