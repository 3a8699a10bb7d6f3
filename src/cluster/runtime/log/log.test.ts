import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { createLog, type LogOptions } from "./log.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";

async function lines(
  options: LogOptions,
  write: (log: Awaited<ReturnType<typeof createLog>>) => void,
): Promise<string[]> {
  const written: string[] = [];
  const destination = { write: (text: string) => written.push(text) };
  write(await createLog({ clock: new VirtualClock(), destination, ...options }));
  return written.map(stripVTControlCharacters);
}

const json = async (write: Parameters<typeof lines>[1]): Promise<Record<string, unknown>> =>
  JSON.parse((await lines({}, write))[0]!) as Record<string, unknown>;

describe("log", () => {
  test("writes one JSON object a line, with level, time and name", async () => {
    const written = await lines({ name: "operator" }, (log) => log.info({ node: "a" }, "profile written"));
    expect(written).toEqual([
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","name":"operator","node":"a","message":"profile written"}\n',
    ]);
  });

  test("leaves out what is below the level", async () => {
    const written = await lines({ level: "warn" }, (log) => {
      log.debug({}, "no");
      log.info({}, "no");
      log.warn({}, "yes");
      log.child({ a: 1 }).error({}, "yes");
    });
    expect(written).toHaveLength(2);
  });

  test("an error has its own name, and the text of its cause once", async () => {
    class RequestError extends Error {
      override name = "RequestError";
    }
    const cause = new Error("connection refused");
    const error = new RequestError("GET /x: connection refused", { cause });
    const logged = JSON.stringify(await json((log) => log.warn({ error: Object.assign(error, { stack: "" }) }, "m")));
    expect(logged).toContain('"type":"RequestError"');
    expect(logged.match(/connection refused/g)).toHaveLength(1);
    const other = await json((log) => log.warn({ error: new Error("GET /x failed", { cause }) }, "m"));
    expect(other).toMatchObject({ error: { message: "GET /x failed", cause: { message: "connection refused" } } });
  });

  test("a child carries its fields", async () => {
    expect(await json((log) => log.child({ controller: "x" }).info({ key: "a/b" }, "m"))).toMatchObject({
      controller: "x",
      key: "a/b",
    });
  });

  test.each([
    ["a token by name", { token: "s3cret" }],
    ["a name in another spelling", { Client_Key_Data: "s3cret" }],
    ["a header deep inside", { request: { headers: [{ Authorization: "s3cret" }] } }],
    ["a bearer token inside a text", { note: "sent Bearer s3cret to server" }],
    ["the data of a Secret", { object: { kind: "Secret", data: { any: "s3cret" }, stringData: { any: "s3cret" } } }],
    ["a private key", { pem: "-----BEGIN EC PRIVATE KEY-----\ns3cret\n-----END EC PRIVATE KEY-----" }],
    ["an error's message, cause and stack", { error: new Error("Bearer s3cret", { cause: { password: "s3cret" } }) }],
    ["the errors of an aggregate", { error: new AggregateError([new Error("Basic s3cret")], "many") }],
  ])("never shows %s", async (_, fields) => {
    for (const pretty of [false, true]) {
      const written = (await lines({ pretty }, (log) => log.child(fields).error(fields, "Bearer s3cret"))).join("");
      expect(written).toContain("[redacted]");
      expect(written).not.toContain("s3cret");
    }
  });

  test("an object that contains itself is cut off at a depth", async () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(JSON.stringify(await json((log) => log.info({ loop }, "m")))).toContain("[too deep]");
  });

  test("is one readable line on a terminal, and no value breaks it in two", async () => {
    const written = await lines({ pretty: true, name: "up" }, (log) =>
      log.error({ node: "a\nb", count: 2, error: new Error("refused") }, "write profile"),
    );
    expect(written).toEqual(['00:00:00.000 error up: write profile node="a\\nb" count=2 error=refused\n']);
  });
});
