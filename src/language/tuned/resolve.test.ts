import { describe, expect, test } from "vitest";
import { parseProfile } from "./text/parse-profile.ts";
import { documentOf } from "./text/document.ts";
import { type Answer, noAnswers, type Probe, probeKey } from "./probe.ts";
import { formatProblem } from "./problem.ts";
import { preview, type Resolution, resolve } from "./resolve.ts";

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
      "0/a:2: circular include p → a → p: repeated include ignored",
    ]);
  });

  test("of profiles that all include each other, one cycle for each is reported", () => {
    const names = ["p", "a", "b", "c"];
    const layer = Object.fromEntries(names.map((name) => [name, `[main]\ninclude=${names.join(",")}\n[s]\nk=1\n`]));
    const resolution = resolving("p", [layer]);
    expect(resolution.type === "resolved" && resolution.profile.warnings.map(formatProblem)).toEqual([
      "0/p:2: circular include p → p: repeated include ignored",
      "0/a:2: circular include a → a: repeated include ignored",
      "0/b:2: circular include b → b: repeated include ignored",
      "0/c:2: circular include c → c: repeated include ignored",
    ]);
  });

  test.each([
    {
      name: "a missing include",
      text: "[main]\ninclude=nosuch\n",
      expected: ['0/p:2: profile "nosuch" does not exist'],
    },
    {
      name: "an assertion that does not hold",
      text: "[variables]\na=1\nb=${f:assertion:they agree:${a}:2}\n",
      expected: ["0/p:3: Assertion 'they agree' failed: '1' != '2'"],
    },
    {
      name: "a pattern that is none",
      text: "[s]\nk=${f:regex_search_ternary:a:[:b:c}\n",
      expected: ['0/p:2: regular expression "[": unterminated character set'],
    },
    {
      name: "a priority that is no number",
      text: "[s]\npriority=high\n",
      expected: ['0/p:2: [s] priority "high" is not a number'],
    },
    {
      name: "a list of CPUs that no machine has",
      text: "[s]\nk=${f:cpulist_unpack:0-99999999}\n",
      expected: ['0/p:2: no machine has the CPUs "0-99999999"'],
    },
    { name: "a text that does not parse", text: "[s]\nk\n", expected: ['0/p:2: expected "key = value", found "k"'] },
  ])("$name is a problem that names its place", ({ text, expected }) => {
    expect(problems(resolving("p", [{ p: text }]))).toEqual(expected);
  });

  test("a profile that does not exist is a problem", () => {
    expect(problems(resolving("__proto__", [{}]))).toEqual(['profile "__proto__" does not exist']);
    expect(problems(resolving("sst", [{}]))).toEqual([
      'profile "sst" does not exist: it is a former name; include "intel-sst" instead',
    ]);
  });

  test("a chain of a thousand includes is refused, not followed until the stack ends", () => {
    const texts: Texts = {};
    for (let i = 0; i < 1000; i++) texts[i === 0 ? "p" : `p${i}`] = `[main]\ninclude=p${i + 1}\n`;
    expect(problems(resolving("p", [texts]))).toEqual(["0/p99:2: includes are nested more than 100 deep"]);
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

describe("what TuneD would log", () => {
  test.each([
    ["[s]\nk=${f:nosuch:1}\n", "0/p:2: function 'nosuch' not implemented"],
    ["[s]\nk=${f:strip:x\n", "0/p:2: invalid variable syntax, non pair '{' in: '${f:strip:x'"],
    ["[s]\nk=a}\n", "0/p:2: invalid variable syntax, non pair '}' in: 'a}'"],
    ["[s]\nk=${f:strip}\n", "0/p:2: invalid number of arguments for builtin function 'strip'"],
    ["[variables]\na-b=1\n[s]\nk=1\n", "0/p:2: variable definition 'a-b' contains unallowed characters"],
  ])("%j is kept with its place, and the profile goes on", (text, expected) => {
    const resolution = resolving("p", [{ p: text }]);
    expect(resolution.type === "resolved" && resolution.profile.warnings.map(formatProblem)).toEqual([expected]);
    expect(options(resolution)).toHaveLength(1);
  });

  test("what a profile logs itself is no warning", () => {
    expect(resolving("p", [{ p: "[s]\nk=${f:log:a:b}\n" }])).toMatchObject({
      profile: { logged: ["ab"], warnings: [] },
    });
  });

  test("names that are none are passed over", () => {
    const resolution = resolving("p ../../etc a/b", [{ p: "[s]\nk=1\n" }]);
    expect(resolution).toMatchObject({ profile: { profile: "p" } });
    expect(resolution.type === "resolved" && resolution.profile.warnings).toHaveLength(2);
    expect(problems(resolving("../p", [{ p: "" }]))).toEqual(["No profile or invalid profiles were specified."]);
  });
});

describe("a condition", () => {
  const text = "[s]\nuname_regex=aarch64\ncpuinfo_regex=^part.*516$\nk=${f:exec:touch:/x}\n";
  const uname = { type: "exec" as const, argv: ["uname", "-snrvm"] };
  const cpuinfo = { type: "file" as const, path: "/proc/cpuinfo" };
  const asked = (...texts: [Probe, string][]): Map<string, Answer> =>
    new Map(texts.map(([probe, answer]) => [probeKey(probe), { type: "text", text: answer }]));

  test("is evaluated before the node is asked anything for the unit", () => {
    expect(resolving("p", [{ p: text }])).toEqual({ type: "needs", probes: [uname] });
    expect(resolving("p", [{ p: text }], asked([uname, "Linux n 6 v aarch64\n"]))).toEqual({
      type: "needs",
      probes: [cpuinfo],
    });
  });

  test("that is not met leaves the unit out, with the condition", () => {
    const resolution = resolving("p", [{ p: text }], asked([uname, "Linux n 6 v x86_64\n"]));
    expect(resolution).toMatchObject({ type: "resolved", profile: { units: [{ unmet: "uname_regex=aarch64" }] } });
  });

  test("that is met lets the unit ask", () => {
    const answers = asked([uname, "Linux n 6 v aarch64\n"], [cpuinfo, "cpu 0\npart: 0x516\nx\n"]);
    expect(resolving("p", [{ p: text }], answers)).toEqual({
      type: "needs",
      probes: [{ type: "exec", argv: ["touch", "/x"] }],
    });
  });

  test("of a disabled unit is not evaluated", () => {
    expect(resolving("p", [{ p: `${text}enabled=0\n` }])).toMatchObject({
      profile: { units: [{ enabled: false, unmet: undefined }] },
    });
  });
});

describe("a file of variables", () => {
  const layers = [{ p: "[variables]\ninclude=/v/../etc/v.conf\nb=${f:exec:make:${a}}\n[s]\nk=${b}\n" }];
  const file = { type: "file" as const, path: "/etc/v.conf" };

  test("is read before anything that may depend on it is asked", () => {
    expect(resolving("p", layers)).toEqual({ type: "needs", probes: [file] });
    const answers = new Map<string, Answer>([[probeKey(file), { type: "text", text: "a=1\nbare\n[x]\na=2\n" }]]);
    expect(resolving("p", layers, answers)).toEqual({
      type: "needs",
      probes: [{ type: "exec", argv: ["make", "2"] }],
    });
  });

  test("that the node does not have may come with the profiles", () => {
    const answers = new Map<string, Answer>([[probeKey(file), { type: "none" }]]);
    const texts = [new Map([["p", parseProfile("[variables]\ninclude=/etc/v.conf\n[s]\nk=${a}\n", "p")]])];
    const files = new Map([["/etc/v.conf", "a=7\n"]]);
    expect(options(resolve({ profile: "p", layers: texts, files }, answers))).toEqual(["s k=7"]);
    expect(resolve({ profile: "p", layers: texts }, answers)).toMatchObject({
      profile: { warnings: [{ level: "error", message: "unable to find variables_file: '/etc/v.conf'" }] },
    });
  });
});

describe("a preview", () => {
  const text =
    "[main]\ninclude=base,${f:virt_check:vm:bare}\n[variables]\ninclude=/v\ncheck=\\\\${cores}\ncores=${cores}\n" +
    "set=${f:assertion_non_equal:set:${cores}:${check}}\nmask=${f:cpulist2hex:${cores}}\n[s]\nk=${mask} ${f:exec:rm:-rf:/}\nj=1\n";
  const layers = [
    new Map([
      ["p", parseProfile(text, "p")],
      ["base", parseProfile("[s]\nb=1\n", "b")],
    ]),
  ];

  test("shows what it cannot know as it is written, fails no assertion over it, and lists the questions", () => {
    const shown = preview({ profile: "p", layers }, noAnswers);
    if (shown.type !== "preview") throw new Error(JSON.stringify(shown));
    expect(documentOf(shown.profile, shown.unresolved)).toEqual({
      profile: "p",
      chain: ["base", "p"],
      variables: {
        check: "\\${cores}",
        cores: "${cores}",
        set: "${f:assertion_non_equal:set:${cores}:${cores}}",
        mask: "${f:cpulist2hex:${cores}}",
      },
      units: [
        {
          name: "s",
          type: "s",
          enabled: true,
          devices: "*",
          options: {
            b: { value: "1", from: "b:2", overrides: [] },
            k: { value: "${f:cpulist2hex:${cores}} ${f:exec:rm:-rf:/}", from: "p:10", overrides: [] },
            j: { value: "1", from: "p:11", overrides: [] },
          },
        },
      ],
      bootArguments: [],
      unresolved: [
        { type: "exec", argv: ["virt-what"] },
        { type: "file", path: "/v" },
        { type: "exec", argv: ["rm", "-rf", "/"] },
      ],
    });
  });
});

test("boot arguments are taken from the last unit for the boot loader, expanded after words were taken away", () => {
  const text =
    "[variables]\nq=quiet\n[bootloader]\ncmdline=+${q} a a\ncmdline_x=-a quiet\n[off]\ntype=bootloader\nenabled=0\ncmdline=z\n";
  expect(resolving("p", [{ p: text }])).toMatchObject({ profile: { bootArguments: ["quiet"] } });
});

test("names of kernel modules are expanded, other keys are not", () => {
  const text = "[variables]\nm=kvm\n[modules]\n${m}=+r\n[s]\n${m}=1\n";
  expect(options(resolving("p", [{ p: text }]))).toEqual(["modules kvm=+r", "s ${m}=1"]);
});
