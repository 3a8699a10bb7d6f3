import { beforeAll, expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { ageless } from "./printed-table.ts";
import { widget, widgetDefinition } from "./widget-definition.ts";

onEachServer("custom kinds", (cluster) => {
  const make = (stdin: string): Promise<string> => cluster.kubectl.out("create -f -", { stdin });

  beforeAll(async () => {
    await make(JSON.stringify(widgetDefinition));
    await cluster.kubectl.out("wait --for=condition=Established crd/widgets.shop.example --timeout=30s");
  });

  it("shows a definition and its status", async () => {
    expect(ageless(await cluster.kubectl.out("get crd"))[0]).toEqual(["NAME", "CREATED AT"]);
    expect(await cluster.kubectl.json("get crd widgets.shop.example")).toMatchObject({
      spec: { conversion: { strategy: "None" }, names: { listKind: "WidgetList" } },
      status: {
        acceptedNames: { plural: "widgets", kind: "Widget" },
        storedVersions: ["v1"],
        conditions: [
          { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
          { type: "Established", status: "True", reason: "InitialNamesAccepted" },
        ],
      },
    });
  });

  it("owns the status that it wrote into a definition", async () => {
    const { metadata } = (await cluster.kubectl.json("get crd widgets.shop.example --show-managed-fields")) as {
      metadata: { managedFields: { manager: string; subresource?: string; fieldsV1: object }[] };
    };
    const condition = {
      ".": {},
      "f:lastTransitionTime": {},
      "f:message": {},
      "f:reason": {},
      "f:status": {},
      "f:type": {},
    };
    expect(metadata.managedFields.find(({ subresource }) => subresource === "status")).toMatchObject({
      manager: "kube-apiserver",
      operation: "Update",
      fieldsV1: {
        "f:status": {
          "f:acceptedNames": { "f:kind": {}, "f:plural": {} },
          "f:conditions": { 'k:{"type":"Established"}': condition, 'k:{"type":"NamesAccepted"}': condition },
        },
      },
    });
  });

  it("serves no subresource that the definition does not name", async () => {
    await cluster.kubectl.refuses(
      "get --raw /apis/shop.example/v1/namespaces/work/widgets/any/nothing",
      'Error from server (NotFound): widgets.shop.example "any" not found',
    );
  });

  it("serves the kind like any other", async () => {
    const { kubectl } = cluster;
    await kubectl.prints(
      "api-resources --api-group=shop.example --no-headers",
      /^widgets +wd +shop\.example\/v1 +true +Widget$/,
    );
    await make(widget("served", { size: "small" }));
    for (const name of ["widget", "widgets", "wd", "widgets.shop.example", "widgets.v1beta1.shop.example", "shop"])
      await kubectl.prints(`get ${name} -o name`, /^widget\.shop\.example\/served$/m);
  });

  it("sets defaults, and prunes unknown fields when not strict", async () => {
    const { kubectl } = cluster;
    await make(widget("filled", { size: "small", parts: [{ name: "lid" }], extra: { any: { thing: [1] } } }));
    expect(await kubectl.json("get widget filled")).toMatchObject({
      spec: { size: "small", replicas: 1, parts: [{ name: "lid", colour: "grey" }], extra: { any: { thing: [1] } } },
    });
    const loose = await kubectl.run("create --validate=warn -f -", {
      stdin: widget("loose", { size: "small", weight: 3, parts: [{ name: "a", smell: "none" }] }),
    });
    expect(loose).toMatchObject({
      code: 0,
      err: 'Warning: unknown field "spec.parts[0].smell"\nWarning: unknown field "spec.weight"',
    });
    expect(((await kubectl.json("get widget loose")) as { spec: object }).spec).toEqual({
      size: "small",
      replicas: 1,
      parts: [{ name: "a", colour: "grey" }],
    });
  });

  it("refuses unknown fields when strict", async () => {
    await cluster.kubectl.refuses(
      "create -f -",
      /Error from server \(BadRequest\): error when creating "STDIN": Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec\.weight"/,
      { stdin: widget("strict", { size: "small", weight: 3 }) },
    );
  });

  const faults: [string, Record<string, unknown>, RegExp][] = [
    ["a missing field", {}, /^The Widget "bad" is invalid: spec\.size: Required value$/],
    [
      "a value not listed",
      { size: "huge" },
      /^The Widget "bad" is invalid: spec\.size: Unsupported value: "huge": supported values: "small", "large"$/,
    ],
    [
      "a wrong type",
      { size: 3 },
      /^The Widget "bad" is invalid: \n?.*spec\.size: Invalid value: "integer": spec\.size in body must be of type string: "integer"/s,
    ],
    [
      "a number too small",
      { size: "small", replicas: -1 },
      /^The Widget "bad" is invalid: \n\* spec\.replicas: Invalid value: -1: spec\.replicas in body should be greater than or equal to 0\n\* \.spec\.replicas: Invalid value: -1: should be a non-negative integer$/,
    ],
    [
      "a number too large",
      { size: "small", replicas: 11 },
      /^The Widget "bad" is invalid: spec\.replicas: Invalid value: 11: spec\.replicas in body should be less than or equal to 10$/,
    ],
    [
      "a text of another form",
      { size: "small", price: "cheap" },
      /^The Widget "bad" is invalid: spec\.price: Invalid value: "cheap": spec\.price in body should match '\^\[0-9\]\+\\\.\[0-9\]\{2\}\$'$/,
    ],
    ["a text too long", { size: "small", price: "1234567.00" }, /spec\.price: Too long: may not be more than 8 bytes/],
    [
      "too many items",
      { size: "small", parts: ["a", "b", "c", "d"].map((name) => ({ name })) },
      /spec\.parts: Too many: 4: must have at most 3 items/,
    ],
    [
      "a repeated key",
      { size: "small", parts: [{ name: "a" }, { name: "a" }] },
      /^The Widget "bad" is invalid: spec\.parts\[1\]: Duplicate value: \{"name":"a"\}$/,
    ],
    [
      "a repeated item of a set",
      { size: "small", tags: ["x", "x"] },
      /^The Widget "bad" is invalid: spec\.tags\[1\]: Duplicate value: "x"$/,
    ],
    [
      "neither number nor text",
      { size: "small", port: true },
      /spec\.port: Invalid value: "boolean": spec\.port in body must be of type integer,string: "boolean"/,
    ],
    [
      "a nested missing field",
      { size: "small", parts: [{}] },
      /^The Widget "bad" is invalid: spec\.parts\[0\]\.name: Required value$/,
    ],
  ];
  it.each(faults)("refuses %s", async (_title, spec, message) => {
    await cluster.kubectl.refuses("create -f -", message, { stdin: widget("bad", spec) });
  });

  it("refuses a bad change and keeps the old object", async () => {
    const { kubectl } = cluster;
    await make(widget("kept", { size: "small" }));
    await kubectl.refuses(
      `patch widget kept --type=merge -p '{"spec":{"size":"huge"}}'`,
      'The Widget "kept" is invalid: spec.size: Unsupported value: "huge": supported values: "small", "large"',
    );
    await kubectl.refuses(
      `patch widget kept -p '{}'`,
      /UnsupportedMediaType|application\/strategic-merge-patch\+json is not supported/,
    );
    await kubectl.prints("get widget kept -o jsonpath={.spec.size}", "small");
  });

  it("prints the columns of the definition", async () => {
    const { kubectl } = cluster;
    await make(widget("shown", { size: "large", replicas: 2, parts: [{ name: "a", colour: "red" }] }));
    expect(ageless(await kubectl.out("get widget shown"))).toEqual([
      ["NAME", "SIZE", "REPLICAS", "AGE"],
      ["shown", "large", "2", "AGE"],
    ]);
    expect(ageless(await kubectl.out("get widget shown -o wide"))).toEqual([
      ["NAME", "SIZE", "REPLICAS", "COLOUR", "AGE"],
      ["shown", "large", "2", "red", "AGE"],
    ]);
  });

  it("explains the kind from its schema", async () => {
    const { kubectl } = cluster;
    const text = await kubectl.out("explain widget.spec");
    expect(text).toMatch(/^GROUP: +shop\.example\nKIND: +Widget\nVERSION: +v1\n/);
    expect(text).toMatch(/^ {2}size\t<string> -required-\n(?: {2}enum: small, large\n)? {4}How large it is\.$/m);
    expect(text).toMatch(/^ {2}replicas\t<integer>$/m);
    const whole = await kubectl.out("explain widget --recursive --api-version=shop.example/v1beta1");
    expect(whole).toMatch(/^VERSION: +v1beta1$/m);
    expect(whole).toMatch(
      /^ {4}parts\t<\[\]Object>\n {6}colour\t<string>\n {6}count\t<integer>\n {6}name\t<string> -required-$/m,
    );
  });

  it("serves every version, with a warning for an old one", async () => {
    const { kubectl } = cluster;
    const old = await kubectl.run("create -f -", {
      stdin: widget("old", { size: "small" }).replace("shop.example/v1", "shop.example/v1beta1"),
    });
    expect(old).toEqual({
      code: 0,
      out: "widget.shop.example/old created",
      err: "Warning: shop.example/v1beta1 Widget is old; use v1",
    });
    await kubectl.prints("get widget old -o jsonpath={.apiVersion}", "shop.example/v1");
    await kubectl.prints("get widgets.v1beta1.shop.example old -o jsonpath={.apiVersion}", "shop.example/v1beta1");
  });

  it("keeps spec and status apart, and counts generations of the spec", async () => {
    const { kubectl } = cluster;
    await make(
      JSON.stringify({ ...(JSON.parse(widget("apart", { size: "small" })) as object), status: { phase: "Faked" } }),
    );
    const read = (path: string): string => `get widget apart -o jsonpath=${path}`;
    await kubectl.prints(read("{.status}{.metadata.generation}"), "1");
    await kubectl.out(
      `patch widget apart --subresource=status --type=merge -p '{"status":{"phase":"Sold"},"spec":{"size":"large"}}'`,
    );
    await kubectl.prints(read("{.status.phase},{.spec.size},{.metadata.generation}"), "Sold,small,1");
    await kubectl.out(`patch widget apart --type=merge -p '{"status":{"phase":"Lost"},"spec":{"size":"large"}}'`);
    await kubectl.prints(read("{.status.phase},{.spec.size},{.metadata.generation}"), "Sold,large,2");
  });

  it("applies from the client and on the server, merging lists by the keys of the schema", async () => {
    const { kubectl } = cluster;
    const parts = (...names: string[]): Record<string, unknown> => ({
      size: "small",
      parts: names.map((name) => ({ name })),
    });
    await kubectl.prints("apply -f -", "widget.shop.example/a created", { stdin: widget("a", parts("x", "y")) });
    await kubectl.prints("apply -f -", "widget.shop.example/a configured", { stdin: widget("a", parts("y", "z")) });
    await kubectl.prints("get widget a -o jsonpath={.spec.parts[*].name}", "y z");
    const apply = (manager: string): string => `apply --server-side --field-manager=${manager} -f -`;
    await kubectl.out(apply("red"), { stdin: widget("s", parts("x")) });
    await kubectl.out(apply("blue"), { stdin: widget("s", parts("y")) });
    await kubectl.prints("get widget s -o jsonpath={.spec.parts[*].name}", "x y");
    await kubectl.refuses(apply("blue"), /conflict with "red": \.spec\.size\n/, {
      stdin: widget("s", { size: "large" }),
    });
  });

  const misfits: [string, Record<string, unknown>, string][] = [
    ["an unknown field", { size: "small", bogus: 1 }, ".spec.bogus: field not declared in schema"],
    ["a wrong type", { size: "small", replicas: "x" }, ".spec.replicas: expected numeric (int or float), got string"],
    [
      "a repeated key",
      { size: "small", parts: [{ name: "a" }, { name: "a" }] },
      '.spec.parts: duplicate entries for key [name="a"]',
    ],
    [
      "an item without its key",
      { size: "small", parts: [{ count: 1 }] },
      '.spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
  ];
  it.each(misfits)("refuses to apply %s on the server", async (_title, spec, fault) => {
    await cluster.kubectl.refuses(
      "apply --server-side -f -",
      `Error from server: failed to create typed patch object (work/misfit; shop.example/v1, Kind=Widget): ${fault}`,
      { stdin: widget("misfit", spec) },
    );
  });

  const definitions: [string, (text: string) => string, RegExp][] = [
    [
      "a name that is not plural.group",
      (text) => text.replace('"name":"widgets.shop.example"', '"name":"widgets.other"'),
      /metadata\.name: Invalid value: "widgets\.other": must be spec\.names\.plural\+"\."\+spec\.group/,
    ],
    [
      "no storage version",
      (text) => text.replace('"storage":true', '"storage":false'),
      /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/s,
    ],
    [
      "a schema that is not structural",
      (text) => text.replaceAll('"size":{"type":"string",', '"size":{'),
      /spec\.validation\.openAPIV3Schema\.properties\[spec\]\.properties\[size\]\.type: Required value: must not be empty for specified object fields/,
    ],
    [
      "an unknown scope",
      (text) => text.replace('"Namespaced"', '"Galactic"'),
      /spec\.scope: Unsupported value: "Galactic": supported values: "Cluster", "Namespaced"/,
    ],
  ];
  it.each(definitions)("refuses a definition with %s", async (_title, spoil, message) => {
    const text = spoil(JSON.stringify(widgetDefinition).replace('"wd"', '"wx"'));
    await cluster.kubectl.refuses("create -f -", message, { stdin: text });
  });
});
