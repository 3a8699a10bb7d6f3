import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResponseReader } from "./response-reader.ts";

/** The response read from these chunks, followed by the end of the connection. */
function outcome(pieces: readonly Buffer[], method = "GET"): unknown {
  const reader = new ResponseReader(method);
  try {
    for (const piece of pieces) reader.push(piece);
    const open = !reader.done;
    reader.end();
    if (!reader.done) return "broken off";
    const { status, headers, keepAlive } = reader;
    return { status, headers: Object.fromEntries(headers), text: reader.text(), keepAlive, byEnd: open };
  } catch (error) {
    return (error as Error).message;
  }
}

function split(bytes: Buffer, at: readonly number[]): Buffer[] {
  return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end));
}

const wire = (text: string): Buffer => Buffer.from(text, "utf8");
const sized = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"a":"ü€"}';
const chunked =
  "HTTP/1.1 201 Created\r\nTransfer-Encoding: Chunked\r\nWarning: a\r\nwarning:  b \r\n\r\n" +
  "4;x=y\r\nüü\r\n0003 \r\n€\r\n0\r\nDigest: x\r\n\r\n";
const untilClose = "HTTP/1.1 200\r\n\r\nall of it";

describe("the output of a plug-in", () => {
  test.each<[string, string, unknown, string?]>([
    [
      "of a length that is said",
      sized,
      {
        status: 200,
        headers: { "content-type": "application/json", "content-length": "13" },
        text: '{"a":"ü€"}',
        keepAlive: true,
        byEnd: false,
      },
    ],
    ["in chunks", chunked, { status: 201, text: "üü€", keepAlive: true, byEnd: false }],
    [
      "in chunks without trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
      { text: "a" },
    ],
    ["several headers of one name", chunked, { headers: { "transfer-encoding": "Chunked", warning: "a, b" } }],
    ["that goes on until the end", untilClose, { text: "all of it", keepAlive: false, byEnd: true }],
    [
      "after others that are not final",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nlink: a\r\n\r\n${sized}`,
      { status: 200 },
    ],
    ["without content", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, text: "", keepAlive: true, byEnd: false }],
    ["that has not changed", "HTTP/1.1 304 x\r\nContent-Length: 7\r\n\r\n", { status: 304, text: "", byEnd: false }],
    ["of a length of 0", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", { text: "", byEnd: false }],
    ["to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", { text: "", keepAlive: true, byEnd: false }, "HEAD"],
    [
      "that is the last",
      "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\na",
      { text: "a", keepAlive: false },
    ],
    ["of an old server", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", { text: "a", keepAlive: false }],
    [
      "of an old server that stays",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na",
      { text: "a", keepAlive: true },
    ],
    [
      "of a server that leaves at once",
      "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 1\r\n\r\na",
      { keepAlive: false },
    ],
    [
      "of a server that leaves later",
      "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=10\r\nContent-Length: 1\r\n\r\na",
      { keepAlive: true },
    ],
    ["with more behind it", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", { text: "a", keepAlive: false }],
    ["in Latin-1", "HTTP/1.1 200 \xe9\r\nx: \xe9\r\nContent-Length: 0\r\n\r\n", { status: 200 }],
    ["with a header of a name that objects have", "HTTP/1.1 204 x\r\n__proto__: a\r\n\r\n", { status: 204 }],
  ])("%s", (_, text, expected, method) => {
    expect(outcome([wire(text)], method)).toMatchObject(expected as object);
  });

  test.each<[string, string, RegExp]>([
    ["garbage", "garbage", /begin with HTTP/],
    ["another protocol", "HTTP/2 200 OK\r\n\r\n", /begin with HTTP/],
    ["TLS", "\x16\x03\x01", /begin with HTTP/],
    ["no status", "HTTP/1.1 OK\r\n\r\n", /has no status/],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", /has no status/],
    ["a status that is negative", "HTTP/1.1 -20 OK\r\n\r\n", /has no status/],
    ["an unknown version of HTTP", "HTTP/1.2 200 OK\r\n\r\n", /has no status/],
    ["lines that end without a carriage return", "HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n", /has no status/],
    ["a line feed alone in a header", "HTTP/1.1 200 OK\r\na: b\nContent-Length: 0\r\n\r\n", /not a header/],
    ["a NUL in a header", "HTTP/1.1 200 OK\r\na: b\0\r\n\r\n", /not a header/],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", /not a header/],
    ["a header without a colon", "HTTP/1.1 200 OK\r\nab\r\n\r\n", /not a header/],
    ["a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", /not a header/],
    ["a header over two lines", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n", /not a header/],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", /two lengths/],
    ["a length that is negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\na", /not a number/],
    ["a length in a list", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na", /not a number/],
    ["a length that is too large", `HTTP/1.1 200 OK\r\nContent-Length: ${"9".repeat(20)}\r\n\r\n`, /not a number/],
    ["no length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", /not a number/],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      /length is ambiguous/,
    ],
    [
      "an encoding that was not requested",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      /length is ambiguous/,
    ],
    ["chunks of an HTTP/1.0 server", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", /length is ambiguous/],
    ["a switch to another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", /protocol/],
    ["a head that does not end", `HTTP/1.1 200 OK\r\na: ${"b".repeat(70_000)}`, /longer than 65536/],
    ["a flood of headers", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(20_000)}\r\n`, /longer than 65536/],
    ["a flood of interim responses", "HTTP/1.1 100 x\r\n\r\n".repeat(4000), /longer than 65536/],
    ...["-1", "", " 1", "0x1", "g", "1 1", "f".repeat(14), "1\n", `1;${"a".repeat(5000)}`, "a".repeat(5000)].map(
      (size): [string, string, RegExp] => [
        `a chunk of ${size.slice(0, 20)}`,
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\na\r\n`,
        /chunk's size/,
      ],
    ),
    [
      "a chunk that is too long",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
      /longer than its/,
    ],
    [
      "trailers that are no headers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nabc\r\n\r\n",
      /not a header/,
    ],
    [
      "a flood of trailers",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(20_000)}`,
      /trailers are longer/,
    ],
  ])("is not %s", (_, text, reason) => {
    expect(outcome([Buffer.from(text, "latin1")])).toMatch(reason);
  });

  test("of a chunk as large as can be said is waited for", () => {
    expect(outcome([wire(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"f".repeat(13)}\r\na`)])).toBe(
      "broken off",
    );
  });
});

const samples: [string, string][] = [
  ["of a length", sized],
  ["in chunks", chunked],
  ["until the end", untilClose],
  ["after an interim one", `HTTP/1.1 100 Continue\r\n\r\n${chunked}`],
  ["that is wrong in its chunks", chunked.replace("0003", "00-3")],
  ["that is wrong in its head", sized.replace("Type:", "Type")],
];

describe("the same comes of an answer", () => {
  test.each(samples)("%s, wherever it is split in two, and byte by byte", (_, text) => {
    const bytes = wire(text);
    const whole = outcome([bytes]);
    for (let at = 1; at < bytes.length; at++) expect(outcome(split(bytes, [at]))).toEqual(whole);
    expect(outcome([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
  });

  test.each(samples)("%s, however it is split", (_, text) => {
    const bytes = wire(text);
    const whole = outcome([bytes]);
    const places = fc.array(fc.nat(bytes.length), { maxLength: 20 });
    fc.assert(
      fc.property(places, (at) => {
        expect(
          outcome(
            split(
              bytes,
              at.toSorted((a, b) => a - b),
            ),
          ),
        ).toEqual(whole);
      }),
    );
  });

  test("that is anything at all", () => {
    const parts = fc.constantFrom(...sized.split(/(?=\r\n)/), ...chunked.split(/(?=\r\n)/), "\r", "\n", "0", "\0", " ");
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.nat(), (some, at) => {
        const bytes = wire(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked${some.join("")}`);
        expect(outcome(split(bytes, [at % bytes.length]))).toEqual(outcome([bytes]));
      }),
    );
  });
});

test.each(samples.slice(0, 2))("a response %s that is cut off anywhere is an error", (_, text) => {
  const bytes = wire(text);
  for (let at = 0; at < bytes.length; at++) expect(outcome([bytes.subarray(0, at)])).toBe("broken off");
});

test.each([
  ["of a length that is said", "Content-Length: 9\r\n\r\n123456789"],
  ["in chunks", "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789\r\n"],
  ["until the connection is closed", "\r\n123456789"],
])("a body %s is not held beyond its limit", (_, rest) => {
  const bytes = wire(`HTTP/1.1 200 OK\r\n${rest}`);
  expect(() => new ResponseReader("GET", 8).push(bytes)).toThrow("more than 8 bytes");
  new ResponseReader("GET", 9).push(bytes);
});
