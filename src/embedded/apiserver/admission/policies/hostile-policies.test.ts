import { describe, expect, it } from "vitest";
import { SmallServer } from "../../testing/small-server.ts";

type Spec = Readonly<Record<string, unknown>>;

const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
};

async function install(server: SmallServer, name: string, spec: Spec): Promise<void> {
  await server.create("validatingadmissionpolicies", { metadata: { name }, spec: { matchConstraints, ...spec } });
  await server.create("validatingadmissionpolicybindings", {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
}

async function judged(spec: Spec, data: Record<string, string> = {}): Promise<string> {
  const server = new SmallServer();
  await server.createNamespaces("ns");
  try {
    await install(server, "p", spec);
    await server.create("configmaps", { metadata: { name: "x", namespace: "ns" }, data });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const nothingLeft = "validation failed due to running out of cost budget, no further validation rules will be run";
const tooDear = "resulted in error: operation cancelled: actual cost limit exceeded";
const millions = [..."abcdefgh"].reduce((body, name) => `[0,1,2,3,4,5,6,7,8,9].all(${name}, ${body})`, "true");
/** The most expensive expression for its run time. */
const dear =
  "!authorizer.requestResource.check('a').allowed() || !authorizer.requestResource.check('b').allowed() || true";
const chain = (length: number): Spec[] =>
  Array.from({ length }, (_, i) => ({ name: `v${i}`, expression: i === 0 ? "1" : `variables.v${i - 1} + 1` }));

describe("a policy that", () => {
  it.each<[string, Spec, string | RegExp]>([
    ["loops for long", { validations: [{ expression: millions }] }, tooDear],
    [
      "loops for long in a variable",
      {
        variables: [{ name: "a", expression: millions }],
        validations: Array.from({ length: 100 }, () => ({ expression: "variables.a" })),
      },
      "operation cancelled: actual cost limit exceeded",
    ],
    [
      "loops in many validations",
      { validations: Array.from({ length: 100 }, () => ({ expression: dear })) },
      nothingLeft,
    ],
    [
      "loops in many validations, and means no harm",
      { failurePolicy: "Ignore", validations: Array.from({ length: 100 }, () => ({ expression: dear })) },
      /^$/,
    ],
    [
      "loops in its message",
      { validations: [{ expression: "false", message: "no", messageExpression: `${millions} ? 'a' : 'b'` }] },
      /denied request: no$/,
    ],
    [
      "loops in its conditions",
      { matchConditions: [{ name: "c", expression: millions }], validations: [{ expression: "true" }] },
      tooDear,
    ],
    [
      "loops in an annotation",
      { auditAnnotations: [{ key: "k", valueExpression: `${millions} ? 'a' : 'b'` }] },
      tooDear,
    ],
    [
      "doubles a text forever",
      {
        variables: Array.from({ length: 60 }, (_, i) => ({
          name: `v${i}`,
          expression: i === 0 ? "'0123456789'" : `string(variables.v${i - 1}) + string(variables.v${i - 1})`,
        })),
        validations: [{ expression: "variables.v59.size() > 0" }],
      },
      "operation cancelled: actual cost limit exceeded",
    ],
    [
      "has a chain of variables",
      { variables: chain(150), validations: [{ expression: "variables.v149 == 150" }] },
      /^$/,
    ],
    [
      "has an endless chain of variables",
      { variables: chain(1000), validations: [{ expression: "variables.v999 == 1000" }] },
      "variables use each other too deeply",
    ],
    [
      "uses an endless chain from its start",
      {
        variables: chain(500),
        validations: [
          { expression: Array.from({ length: 500 }, (_, i) => `variables.v${i} == ${i + 1}`).join(" && ") },
        ],
      },
      /^$/,
    ],
    [
      "asks twice for what fails",
      {
        variables: [{ name: "a", expression: "object.nope" }],
        validations: [{ expression: "variables.a == 1 || variables.a == 2" }],
      },
      'composited variable "a" fails to evaluate: no such key: nope',
    ],
    [
      "is nested beyond reason",
      { validations: [{ expression: `${"(".repeat(5000)}true${")".repeat(5000)}` }] },
      "expression recursion limit exceeded",
    ],
    [
      "is a chain beyond reason",
      { validations: [{ expression: Array.from({ length: 5000 }, () => "true").join(" && ") }] },
      "expression recursion limit exceeded",
    ],
    [
      "is longer than can be read",
      { validations: [{ expression: `'${"x".repeat(200_000)}' == ''` }] },
      "expression is too long",
    ],
    ["matches badly", { validations: [{ expression: `object.data.t.matches('${"(a*)*".repeat(20)}$')` }] }, /.*/],
  ])("%s comes to an end", async (_, spec, expected) => {
    const message = await judged(spec, { t: "a".repeat(10_000) });
    if (typeof expected === "string") expect(message).toContain(expected);
    else expect(message).toMatch(expected);
  });
});

describe("a hundred policies", () => {
  it("are all evaluated, and the first that objects is named", async () => {
    const server = new SmallServer();
    await server.createNamespaces("ns");
    for (let i = 0; i < 100; i++)
      await install(server, `p${String(i).padStart(2, "0")}`, {
        validations: [{ expression: `object.data.n != '${i}'`, message: `not ${i}` }],
      });
    const write = (n: string) =>
      server.create("configmaps", { metadata: { generateName: "x-", namespace: "ns" }, data: { n } });
    await expect(write("73")).rejects.toThrow(
      "ValidatingAdmissionPolicy 'p73' with binding 'p73' denied request: not 73",
    );
    await expect(write("7")).rejects.toThrow("not 7");
    await write("100");
  });
});

describe("names that mean something to JavaScript", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is a key like any other", async (key) => {
    const data = Object.defineProperty({}, key, { value: "v", enumerable: true }) as Record<string, string>;
    const spec = (expression: string): Spec => ({
      variables: [{ name: key, expression: `object.data['${key}']` }],
      validations: [{ expression: `${expression} && variables.${key} == 'v'`, message: "differs" }],
    });
    expect(await judged(spec(`object.data.${key} == 'v' && has(object.data.${key})`), data)).toBe("");
    expect(await judged(spec("true"), { other: "" })).toContain(`no such key: ${key}`);
  });
});
