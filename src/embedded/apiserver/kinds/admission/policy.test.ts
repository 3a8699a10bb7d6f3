import { describe, expect, it } from "vitest";
import { create, row, update } from "../testing/run-strategy.ts";
import { validatingAdmissionPolicyBinding } from "./policy-binding.ts";
import { validatingAdmissionPolicy } from "./policy.ts";

type Spec = Readonly<Record<string, unknown>>;

const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
const policy = (spec: Spec) =>
  create(validatingAdmissionPolicy, {
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: "true" }], ...spec },
  });
const binding = (spec: Spec) =>
  create(validatingAdmissionPolicyBinding, { spec: { policyName: "p", validationActions: ["Deny"], ...spec } });
const expression = (text: string): Spec => ({ validations: [{ expression: text }] });

describe("ValidatingAdmissionPolicy", () => {
  it("gets its defaults", () => {
    expect(policy({}).object).toMatchObject({
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...resourceRules[0], scope: "*" }],
        },
      },
      status: {},
    });
  });

  const empty = "Required value: validations or auditAnnotations must contain at least one item";
  const failed = (source: string, column: number, why: string): string =>
    `Invalid value: ${JSON.stringify(source)}: compilation failed: ERROR: <input>:1:${column}: ${why}\n | ${source}\n | ${".".repeat(column - 1)}^`;
  it.each<[Spec, string[]]>([
    [{}, []],
    [{ matchConstraints: undefined }, ["spec.matchConstraints: Required value"]],
    [{ matchConstraints: {} }, ["spec.matchConstraints.resourceRules: Required value"]],
    [{ validations: undefined }, [`spec.validations: ${empty}`, `spec.auditAnnotations: ${empty}`]],
    [
      { failurePolicy: "Never" },
      ['spec.failurePolicy: Unsupported value: "Never": supported values: "Fail", "Ignore"'],
    ],
    [{ paramKind: {} }, ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"]],
    [
      { paramKind: { apiVersion: "a/b/c", kind: "X" } },
      ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      { paramKind: { apiVersion: "g/", kind: "K" } },
      ['spec.paramKind.apiVersion: Invalid value: "g/": version must be specified'],
    ],
    [{ paramKind: { apiVersion: "g.io/v1", kind: "Rule" }, ...expression("params.spec.x == 1") }, []],
    [expression(" "), ["spec.validations[0].expression: Required value: expression is not specified"]],
    [
      expression("object.x"),
      ['spec.validations[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn'],
    ],
    [
      expression("params.a == 1"),
      [
        `spec.validations[0].expression: ${failed("params.a == 1", 1, "undeclared reference to 'params' (in container '')")}`,
      ],
    ],
    [
      expression("request.nope == 1"),
      [`spec.validations[0].expression: ${failed("request.nope == 1", 8, "undefined field 'nope'")}`],
    ],
    [
      expression("variables.x == 1"),
      [
        `spec.validations[0].expression: ${failed("variables.x == 1", 1, "undeclared reference to 'variables' (in container '')")}`,
      ],
    ],
    [
      expression("authorizer.x"),
      [
        `spec.validations[0].expression: ${failed("authorizer.x", 11, "unexpected failed resolution of 'kubernetes.authorization.Authorizer'")}`,
      ],
    ],
    [
      { validations: [{ expression: "true", messageExpression: "1" }] },
      ['spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int'],
    ],
    [
      { validations: [{ expression: "true", messageExpression: " ", message: "a\nb", reason: "Bad" }] },
      [
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
        'spec.validations[0].reason: Unsupported value: "Bad": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      { validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }] },
      [
        `spec.validations[0].messageExpression: ${failed("authorizer.path('/').check('get').reason()", 1, "undeclared reference to 'authorizer' (in container '')")}`,
      ],
    ],
    [
      {
        variables: [
          { name: "if", expression: "1" },
          { name: "", expression: "" },
        ],
      },
      [
        'spec.variables[0].name: Invalid value: "if": must be a valid CEL identifier',
        "spec.variables[1].name: Required value: name is not specified",
        "spec.variables[1].expression: Required value: expression is not specified",
      ],
    ],
    [
      {
        variables: [
          { name: "a", expression: "variables.b" },
          { name: "b", expression: "1" },
        ],
      },
      [`spec.variables[0].expression: ${failed("variables.b", 10, "undefined field 'b'")}`],
    ],
    [
      { variables: [{ name: "a", expression: "1" }], ...expression("variables.a == 'x'") },
      [
        `spec.validations[0].expression: ${failed("variables.a == 'x'", 13, "found no matching overload for '_==_' applied to '(int, string)'")}`,
      ],
    ],
    [{ variables: [{ name: "a", expression: "quantity('1')" }], ...expression("variables.a == 'x'") }, []],
    [
      { variables: [{ name: "a", expression: "[1]" }], ...expression("variables.a == ['x']") },
      [expect.stringContaining("(list(int), list(string))") as string],
    ],
    [
      {
        auditAnnotations: [
          { key: "a", valueExpression: "null" },
          { key: "a", valueExpression: "1" },
        ],
      },
      [
        'spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
        'spec.auditAnnotations[1].key: Duplicate value: "a"',
      ],
    ],
    [
      { auditAnnotations: [{ key: "a b", valueExpression: "" }] },
      [
        expect.stringContaining(
          'spec.auditAnnotations[0].key: Invalid value: "x/a b": name part must consist of',
        ) as string,
        "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
      ],
    ],
    [
      { auditAnnotations: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'v'" })) },
      [expect.stringContaining("must not have more than 20 auditAnnotations") as string],
    ],
    [
      {
        matchConditions: [
          { name: "c", expression: "[1]" },
          { name: "c", expression: "request" },
        ],
      },
      [
        'spec.matchConditions[0].expression: Invalid value: "[1]": must evaluate to bool but got list(int)',
        'spec.matchConditions[1].expression: Invalid value: "request": must evaluate to bool but got kubernetes.AdmissionRequest',
        'spec.matchConditions[1].name: Duplicate value: "c"',
      ],
    ],
    [
      {
        matchConstraints: {
          matchPolicy: "Some",
          resourceRules: [{ ...resourceRules[0], resourceNames: ["a", "a", "b/c"] }],
          excludeResourceRules: [{}],
        },
      },
      [
        'spec.matchConstraints.matchPolicy: Unsupported value: "Some": supported values: "Equivalent", "Exact"',
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        `spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain '/'`,
        "spec.matchConstraints.excludeResourceRules[0].operations: Required value",
        "spec.matchConstraints.excludeResourceRules[0].apiGroups: Required value",
        "spec.matchConstraints.excludeResourceRules[0].apiVersions: Required value",
        "spec.matchConstraints.excludeResourceRules[0].resources: Required value",
      ],
    ],
  ])("%j has the faults %j", (spec, faults) => {
    expect(policy(spec).faults).toEqual(faults);
  });

  it("shows its columns", () => {
    expect(row(validatingAdmissionPolicy, policy({}).object, 0)).toMatchObject({
      Validations: 1,
      ParamKind: "<unset>",
    });
    const { object } = policy({ paramKind: { apiVersion: "v1", kind: "ConfigMap" } });
    expect(row(validatingAdmissionPolicy, object, 0)).toMatchObject({ ParamKind: "v1/ConfigMap" });
  });

  it("validates the expression warnings of its status", () => {
    const { object } = policy({});
    const status = { typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }] } };
    expect(update(validatingAdmissionPolicy, object, { status }, "status").faults).toEqual([
      "status.typeChecking.expressionWarnings[0].warning: Required value",
      "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    ]);
  });
});

describe("ValidatingAdmissionPolicyBinding", () => {
  const exclusive = "Forbidden: name and selector are mutually exclusive";
  it.each<[Spec, string[]]>([
    [{}, []],
    [{ policyName: "" }, ["spec.policyName: Required value"]],
    [{ validationActions: [] }, ["spec.validationActions: Required value: at least one validation action is required"]],
    [
      { validationActions: ["Deny", "Deny", "X"] },
      [
        'spec.validationActions[1]: Duplicate value: "Deny"',
        'spec.validationActions[2]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
      ],
    ],
    [
      { validationActions: ["Warn", "Deny"] },
      [
        'spec.validationActions: Invalid value: ["Warn","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    ],
    [
      { paramRef: {} },
      [
        "spec.paramRef: Required value: one of name or selector must be specified",
        "spec.paramRef.parameterNotFoundAction: Required value",
      ],
    ],
    [
      { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } },
      [`spec.paramRef.name: ${exclusive}`, `spec.paramRef.selector: ${exclusive}`],
    ],
    [
      { paramRef: { name: "a/b", parameterNotFoundAction: "X" } },
      [
        `spec.paramRef.name: Invalid value: "a/b": may not contain '/'`,
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "X": supported values: "Deny", "Allow"',
      ],
    ],
    [
      { matchResources: { matchPolicy: "Some" } },
      ['spec.matchResources.matchPolicy: Unsupported value: "Some": supported values: "Equivalent", "Exact"'],
    ],
  ])("%j has the faults %j", (spec, faults) => {
    expect(binding(spec).faults).toEqual(faults);
  });

  it("gets the defaults of matchResources", () => {
    expect(binding({}).object.spec).toEqual({ policyName: "p", validationActions: ["Deny"] });
    expect(binding({ matchResources: {} }).object.spec).toMatchObject({
      matchResources: { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
    });
  });

  it.each<[Spec | undefined, string]>([
    [undefined, "<unset>"],
    [{ name: "n" }, "*/n"],
    [{ name: "n", namespace: "m" }, "m/n"],
    [
      { selector: {} },
      "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}",
    ],
    [
      {
        selector: {
          matchLabels: { b: "c", a: "b" },
          matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
        },
      },
      "&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
    ],
  ])("with params %j is shown with %s", (paramRef, shown) => {
    const { object } = binding(paramRef ? { paramRef: { ...paramRef, parameterNotFoundAction: "Allow" } } : {});
    expect(row(validatingAdmissionPolicyBinding, object, 0)).toMatchObject({ PolicyName: "p", ParamRef: shown });
  });
});
