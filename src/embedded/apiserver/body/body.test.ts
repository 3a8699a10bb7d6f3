import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { BodyBudget } from "../../../cluster/runtime/body-budget.ts";
import { drainBody, parseObject, readBody } from "./body.ts";
import type { HttpRequest } from "../http/exchange.ts";

function request(headers: Record<string, string> = {}): PassThrough & HttpRequest {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & HttpRequest;
}

describe("a body", () => {
  it("is joined from its chunks", async () => {
    const sent = request();
    const body = readBody(sent, { clock: systemClock });
    sent.write("{");
    sent.end("}");
    expect(String(await body)).toBe("{}");
  });

  it("may be absent", async () => {
    const sent = request();
    sent.end();
    expect((await readBody(sent, { clock: systemClock })).length).toBe(0);
  });

  it("is refused by its Content-Length, before it is read", async () => {
    await expect(
      readBody(request({ "content-length": "11" }), { clock: systemClock, limit: 10 }),
    ).rejects.toMatchObject({ code: 413 });
  });

  it("is refused if it has been incomplete for longest when all together are too large", async () => {
    const budget = new BodyBudget(10);
    const [old, young] = [request(), request()];
    const [first, second] = [old, young].map((sent) => readBody(sent, { clock: systemClock, budget }));
    old.write("0123456");
    young.write("0123");
    await expect(first).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
    expect(old.listenerCount("data")).toBe(0);
    expect(budget.bytes).toBe(4);
    young.end("456789");
    expect(String(await second)).toBe("0123456789");
    expect(budget.bytes).toBe(0);
  });

  it("of a client that holds little is not refused because of one that holds much", async () => {
    const budget = new BodyBudget(100);
    const good = request();
    const body = readBody(good, { clock: systemClock, budget, owners: ["good", 1] });
    good.write("0123456789");
    const outcomes: unknown[] = [];
    for (let i = 0; i < 50; i++) {
      const hostile = request();
      readBody(hostile, { clock: systemClock, budget, owners: ["hostile", i % 5] }).catch((error: unknown) =>
        outcomes.push(error),
      );
      hostile.write("x".repeat(9));
    }
    await expect.poll(() => outcomes).toHaveLength(40);
    good.end("0123456789");
    expect(String(await body)).toBe("01234567890123456789");
    expect(budget.bytes).toBe(8 * 9);
  });

  it("of one connection gives way to those of others of the same user", async () => {
    const budget = new BodyBudget(10);
    const send = (connection: string, text: string) => {
      const sent = request();
      const body = readBody(sent, { clock: systemClock, budget, owners: ["u", connection] });
      sent.write(text);
      return { sent, body };
    };
    const few = send("few", "0123");
    const many = [send("many", "012"), send("many", "345")];
    const last = send("other", "01");
    await expect(many[0]?.body).rejects.toMatchObject({ code: 429 });
    for (const { sent } of [few, last]) sent.end();
    expect([String(await few.body), String(await last.body)]).toEqual(["0123", "01"]);
    many[1]?.sent.end();
    expect(String(await many[1]?.body)).toBe("345");
  });

  it("is refused when it is too long, without buffering it", async () => {
    const sent = request();
    const body = readBody(sent, { clock: systemClock, limit: 10 });
    sent.write("0123456789");
    sent.write("x");
    await expect(body).rejects.toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
    expect(sent.listenerCount("data")).toBe(0);
  });

  it("of the maximum length is accepted", async () => {
    const sent = request({ "content-length": "10" });
    sent.end("0123456789");
    expect((await readBody(sent, { clock: systemClock, limit: 10 })).length).toBe(10);
  });

  it("is refused when it has not arrived whole by the deadline, and is not kept", async () => {
    const clock = new VirtualClock();
    const sent = request();
    const body = readBody(sent, { clock, deadline: clock.now() + 34_000 });
    const refused = expect(body).rejects.toMatchObject({ code: 504, reason: "Timeout" });
    sent.write("{");
    await clock.advance(34_000);
    await refused;
    expect(sent.listenerCount("data")).toBe(0);
  });

  it("leaves no timer behind once it is here", async () => {
    const clock = new VirtualClock();
    const sent = request();
    const body = readBody(sent, { clock, deadline: clock.now() + 34_000 });
    sent.end("{}");
    await body;
    expect(clock.pending).toBe(0);
  });

  it("that was refused is not waited for without end", async () => {
    const clock = new VirtualClock();
    const drained = drainBody(request(), clock);
    await clock.advance(2_000);
    await drained;
    expect(clock.pending).toBe(0);
  });

  it.each(["error", "aborted"])("that breaks off with %s is a bad request", async (event) => {
    const sent = request();
    const body = readBody(sent, { clock: systemClock });
    sent.emit(event, new Error("reset"));
    await expect(body).rejects.toMatchObject({ code: 400 });
  });
});

describe("an object in a body", () => {
  const parse = (text: string, type?: string) => parseObject(Buffer.from(text), type, "ConfigMap");

  it("is refused for its depth before it is parsed, also if it is not JSON", async () => {
    await expect(parse("[".repeat(100_000))).rejects.toThrow("cannot be read: it nests deeper than 256 levels");
  });

  const read: [string | undefined, string, unknown][] = [
    [undefined, '{"a":1}', { a: 1 }],
    ["application/json", '{"a":1}', { a: 1 }],
    ["Application/JSON; charset=utf-8", '{"a":"ü"}', { a: "ü" }],
    ["application/yaml", "a: 1\nb: [x, yes]\n", { a: 1, b: ["x", true] }],
    ["application/yaml", "", null],
    ["application/json", "null", null],
  ];
  it.each(read)("of type %s: %j", async (type, text, value) => {
    expect(await parse(text, type)).toEqual({ value, duplicates: [] });
  });

  it("keeps names like __proto__ as plain fields", async () => {
    for (const type of ["application/json", "application/yaml"]) {
      const { value } = await parse('{"__proto__":{"polluted":true}}', type);
      expect(Object.keys(value as object)).toEqual(["__proto__"]);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    }
  });

  it("reports duplicate keys", async () => {
    expect((await parse('{"a":1,"a":2}')).duplicates).toEqual(['duplicate field "a"']);
    const yaml = await parse("a: 1\nb: {c: 1, c: 2}\na: 3\n", "application/yaml");
    expect(yaml).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: [
        'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 2: key "c" already set in map',
      ],
    });
  });

  const refused: [string, string | undefined, string, number][] = [
    ["half an object", "application/json", '{"a":', 400],
    ["nothing at all", "application/json", "", 400],
    ["YAML that is none", "application/yaml", "a: [", 400],
    ["protobuf that is none", "application/vnd.kubernetes.protobuf", "text", 400],
    ["another type", "text/plain", "{}", 415],
    ["JSON without a floor", "application/json", "[".repeat(300) + "]".repeat(300), 400],
    ["YAML without a floor", "application/yaml", "[".repeat(300) + "]".repeat(300), 400],
  ];
  it.each(refused)("is refused: %s", async (_, type, text, code) => {
    await expect(parse(text, type)).rejects.toMatchObject({ code });
  });
});
