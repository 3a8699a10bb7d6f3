import { describe, expect, it } from "vitest";
import { create, update } from "../testing/run-strategy.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./webhook-configurations.ts";

const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://host/path" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
const form = "; desired format: https://host[/path]";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("webhook configurations", () => {
  it.each([
    [mutatingWebhookConfiguration, { reinvocationPolicy: "Never" }],
    [validatingWebhookConfiguration, {}],
  ])("get their defaults: %#", (resource, own) => {
    const service = { namespace: "ns", name: "svc" };
    const { object, faults } = create(resource, {
      webhooks: [
        { ...webhook, rules: [rule] },
        { ...webhook, name: "b.example.com", clientConfig: { service } },
      ],
    });
    expect(faults).toEqual([]);
    const defaults = {
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...own,
    };
    expect(object.webhooks).toEqual([
      { ...webhook, ...defaults, rules: [{ ...rule, scope: "*" }] },
      { ...webhook, ...defaults, name: "b.example.com", clientConfig: { service: { ...service, port: 443 } } },
    ]);
  });

  const faultsOf = (change: object) =>
    create(mutatingWebhookConfiguration, { webhooks: [{ ...webhook, ...change }] }).faults.map((fault) =>
      fault.replace("webhooks[0].", ""),
    );

  it.each<[string, object, string[]]>([
    ["no name", { name: "" }, ["name: Required value"]],
    [
      "a short name",
      { name: "a.b" },
      [`name: Invalid value: "a.b": should be a domain with at least three segments separated by dots`],
    ],
    [
      "only a name",
      { sideEffects: undefined, admissionReviewVersions: [], clientConfig: {} },
      [
        "sideEffects: Required value: must specify one of None, NoneOnDryRun",
        "clientConfig: Required value: exactly one of url or service is required",
        "admissionReviewVersions: Required value: must specify one of v1, v1beta1",
      ],
    ],
    [
      "unsupported values",
      { sideEffects: "Some", failurePolicy: "X", matchPolicy: "Y", reinvocationPolicy: "Z", timeoutSeconds: 31 },
      [
        `failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"`,
        `matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact"`,
        `sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
        "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
        `reinvocationPolicy: Unsupported value: "Z": supported values: "IfNeeded", "Never"`,
      ],
    ],
    [
      "unsupported review versions",
      { admissionReviewVersions: ["v2", "v2"] },
      [
        `admissionReviewVersions[1]: Invalid value: "v2": duplicate version`,
        `admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1`,
      ],
    ],
    [
      "an empty rule",
      { rules: [{}] },
      ["operations", "apiGroups", "apiVersions", "resources"].map((field) => `rules[0].${field}: Required value`),
    ],
    [
      "a rule with redundant entries",
      {
        rules: [
          {
            operations: ["*", "X"],
            apiGroups: ["*", ""],
            apiVersions: ["*", ""],
            resources: ["*", "pods", "a/*", "a/b", "*/s", "x/s", "*/*", ""],
            scope: "No",
          },
        ],
      },
      [
        `operations: Invalid value: ["*","X"]: if '*' is present, must not specify other operations`,
        `operations[1]: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
        `apiGroups: Invalid value: ["*",""]: if '*' is present, must not specify other API groups`,
        `apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
        "apiVersions[1]: Required value",
        `resources[3]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`,
        `resources[5]: Invalid value: "x/s": if '*/s' is present, must not specify x/s`,
        "resources[7]: Required value",
        `resources: Invalid value: ["*","pods","a/*","a/b","*/s","x/s","*/*",""]: if '*/*' is present, must not specify other resources`,
        `resources: Invalid value: ["*","pods","a/*","a/b","*/s","x/s","*/*",""]: if '*' is present, must not specify other resources without subresources`,
        `scope: Unsupported value: "No": supported values: "*", "Cluster", "Namespaced"`,
      ].map((fault) => `rules[0].${fault}`),
    ],
    [
      "conditions that are not bool",
      {
        matchConditions: [
          { name: "", expression: " " },
          { name: "a b", expression: "1" },
          { name: "a", expression: "true" },
          { name: "a", expression: "true" },
        ],
      },
      [
        "matchConditions[0].expression: Required value",
        "matchConditions[0].name: Required value",
        `matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int`,
        `matchConditions[1].name: Invalid value: "a b": ${namePart}`,
        `matchConditions[3].name: Duplicate value: "a"`,
      ],
    ],
    [
      "an incomplete service",
      { clientConfig: { service: { name: "", namespace: "", port: 70000, path: "//" } } },
      [
        "clientConfig.service.name: Required value",
        "clientConfig.service.namespace: Required value",
        "clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
        `clientConfig.service.path: Invalid value: "//": segment[0] may not be empty`,
      ],
    ],
  ])("are refused with %s", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });

  it.each<[string, string[]]>([
    ["https://host:1/ok", []],
    ["https://[::1]:1/ok", []],
    ["", [`"": 'https' is the only allowed URL scheme${form}`, `"": host must be specified${form}`]],
    ["foo", [`"": 'https' is the only allowed URL scheme${form}`, `"": host must be specified${form}`]],
    ["a:b", [`"a": 'https' is the only allowed URL scheme${form}`, `"": host must be specified${form}`]],
    ["http://x", [`"http": 'https' is the only allowed URL scheme${form}`]],
    ["https://", [`"": host must be specified${form}`]],
    ["https://u:p@h/x", [`"u:p": user information is not permitted in the URL`]],
    ["https://h/x?q=1", [`"q=1": query parameters are not permitted in the URL`]],
    ["https://h/#f", [`"f": fragments are not permitted in the URL`]],
  ])("with the URL %j have the faults %j", (url, faults) => {
    expect(faultsOf({ clientConfig: { url } })).toEqual(
      faults.map((fault) => `clientConfig.url: Invalid value: ${fault}`),
    );
  });

  it.each([
    [":x", "missing protocol scheme"],
    ["x/a:b", undefined],
    ["1:b", "first path segment in URL cannot contain colon"],
    ["https://h:abc/", `invalid port ":abc" after host`],
    ["https://[::1]x/", `invalid port "x" after host`],
    ["https://h/%zz", `invalid URL escape "%zz"`],
    ["https://h/\n", "net/url: invalid control character in URL"],
  ])("with the malformed URL %j have the fault %s", (url, why) => {
    const [first = ""] = faultsOf({ clientConfig: { url } });
    if (why === undefined) expect(first).not.toContain("valid URL");
    else
      expect(first).toBe(
        `clientConfig.url: Required value: url must be a valid URL: parse ${JSON.stringify(url)}: ${why}${form}`,
      );
  });

  it("name each webhook once", () => {
    const { faults } = create(validatingWebhookConfiguration, { webhooks: [webhook, webhook] });
    expect(faults).toEqual([`webhooks[1].name: Duplicate value: "a.example.com"`]);
  });

  it("may have no webhooks", () => {
    const { object } = create(validatingWebhookConfiguration, { webhooks: [webhook] });
    expect(update(validatingWebhookConfiguration, object, { webhooks: null }).faults).toEqual([]);
  });
});
