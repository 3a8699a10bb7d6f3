import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { patchTypes } from "./client.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const counters = "/apis/attack.io/v1/namespaces/default/counters";
const pods = "/api/v1/namespaces/default/pods";
/** Neighbours of these are the nearest doubles. */
const large = "9007199254740993";
const largest = "9223372036854775807";
const smallest = "-9223372036854775808";

const definition = {
  metadata: { name: "counters.attack.io" },
  spec: {
    group: "attack.io",
    scope: "Namespaced",
    names: { plural: "counters", kind: "Counter" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  count: { type: "integer", format: "int64", default: 0 },
                  before: { type: "integer", format: "int64" },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  set: { type: "array", items: { type: "integer" }, maxItems: 9, "x-kubernetes-list-type": "set" },
                },
                "x-kubernetes-validations": [
                  { rule: "!has(self.before) || self.count == self.before + 1", message: "does not follow" },
                ],
              },
            },
          },
        },
        additionalPrinterColumns: [{ name: "Count", type: "integer", jsonPath: ".spec.count" }],
      },
    ],
  },
};

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
  expect((await victim.admin.post(definitions, definition)).status).toBe(201);
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

const counter = (name: string, spec: string): string =>
  `{"apiVersion":"attack.io/v1","kind":"Counter","metadata":{"name":"${name}"},"spec":{${spec}}}`;
const specOf = async (name: string): Promise<string | undefined> =>
  /"spec":(\{.*?\})[,}]/.exec((await victim.admin.get(`${counters}/${name}`)).text)?.[1];

describe("an integer beyond 2^53", () => {
  it.each([large, `-${large}`, largest, smallest])(
    "%s is stored, shown and watched with all its digits",
    async (digits) => {
      const name = `stored${digits}`;
      const { status, text } = await victim.admin.post(counters, counter(name, `"count":${digits}`));
      expect({ status, text }).toMatchObject({
        status: 201,
        text: expect.stringContaining(`"count":${digits}`) as string,
      });
      const watched = await victim.admin.get(
        `${counters}?watch=true&fieldSelector=metadata.name%3D${name}&resourceVersion=0`,
        {
          until: (events) => events.includes("\n"),
        },
      );
      expect(watched.text).toContain(`"count":${digits}`);
      for (const accept of ["application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"])
        expect((await victim.admin.get(`${counters}/${name}`, { headers: { accept } })).text).toContain(digits);
    },
  );

  it("is read from YAML", async () => {
    const body = `apiVersion: attack.io/v1\nkind: Counter\nmetadata: {name: yaml}\nspec: {count: ${largest}}\n`;
    expect((await victim.admin.post(counters, body, { type: "application/yaml" })).status).toBe(201);
    expect(await specOf("yaml")).toBe(`{"count":${largest}}`);
  });

  it.each([
    [
      "json",
      `[{"op":"test","path":"/spec/count","value":${large}},{"op":"add","path":"/spec/before","value":9007199254740992}]`,
    ],
    ["merge", '{"spec":{"before":9007199254740992}}'],
    ["apply", counter("patched", `"count":${large},"before":9007199254740992`)],
  ] as const)("survives a %s patch of another field", async (type, patch) => {
    await victim.admin.delete(`${counters}/patched`);
    await victim.admin.post(
      `${counters}?fieldManager=m`,
      counter("patched", `"count":${large},"free":{"a":[${largest}]},"set":[${largest},${large}]`),
    );
    const { status, text } = await victim.admin.patch(
      type,
      `${counters}/patched?fieldManager=m&force=${type === "apply"}`.replace("&force=false", ""),
      patch,
    );
    expect({ status, text }).toMatchObject({ status: 200 });
    const after = (await victim.admin.get(`${counters}/patched`)).text;
    for (const part of [`"count":${large}`, '"before":9007199254740992', `"a":[${largest}]`, `v:${largest}`])
      expect(after).toContain(part);
  });

  it("survives a strategic merge patch", async () => {
    const spec = `"terminationGracePeriodSeconds":${large},"containers":[{"name":"a","image":"b"}]`;
    const created = await victim.admin.post(pods, `{"metadata":{"name":"p"},"spec":{${spec}}}`);
    expect(created.status).toBe(201);
    const { text } = await victim.admin.send("PATCH", `${pods}/p`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      type: patchTypes.strategic,
    });
    expect(text).toContain(`"terminationGracePeriodSeconds":${large}`);
    const forbidden = await victim.admin.patch("strategic", `${pods}/p`, { spec: { nodeName: "other" } });
    expectStatus(forbidden, 422, "Invalid");
    expect((await victim.admin.delete(`${pods}/p`, `{"gracePeriodSeconds":${large}}`)).status).toBe(200);
  });

  it("is a change when only its last digit changes, and none when it does not", async () => {
    await victim.admin.post(counters, counter("changes", `"count":${large}`));
    const put = async (digits: string) => {
      const { json } = await victim.admin.patch("merge", `${counters}/changes`, `{"spec":{"count":${digits}}}`);
      return json.metadata.generation;
    };
    expect(await put(large)).toBe(1);
    expect(await put("9007199254740994")).toBe(2);
    expect(await specOf("changes")).toBe('{"count":9007199254740994}');
  });

  it("is exact in a rule", async () => {
    const right = await victim.admin.post(counters, counter("rule", `"count":${large},"before":9007199254740992`));
    expect(right.status).toBe(201);
    const wrong = await victim.admin.post(
      counters,
      counter("rule-2", `"count":9007199254740994,"before":9007199254740992`),
    );
    expectStatus(wrong, 422, "Invalid");
    expect(wrong.json.message).toContain("does not follow");
  });

  it("of a set is an item of its own", async () => {
    const both = await victim.admin.post(counters, counter("set", `"set":[9007199254740992,${large}]`));
    expect({ status: both.status, text: both.text }).toMatchObject({ status: 201 });
    const twice = await victim.admin.post(counters, counter("set-2", `"set":[${large},${large}]`));
    expectStatus(twice, 422, "Invalid");
    expect(twice.json.message).toContain(large);
  });

  it.each(["9223372036854775808", "-9223372036854775809", "1e19", "18446744073709551616"])(
    "%s is refused with 422",
    async (number) => {
      const created = await victim.admin.post(counters, counter("too-large", `"count":${number}`));
      expectStatus(created, 422, "Invalid");
      expect(created.json.message).toContain('spec.count: Invalid value: "number"');
      await victim.admin.post(counters, counter("patched-2", ""));
      expectStatus(
        await victim.admin.patch("merge", `${counters}/patched-2`, `{"spec":{"count":${number}}}`),
        422,
        "Invalid",
      );
    },
  );

  it("is a float where the schema does not say, once int64 cannot hold it", async () => {
    const { status, text } = await victim.admin.post(counters, counter("free", `"free":{"a":9223372036854775808}`));
    expect({ status, text }).toMatchObject({
      status: 201,
      text: expect.stringContaining('"a":9223372036854776000') as string,
    });
  });
});
