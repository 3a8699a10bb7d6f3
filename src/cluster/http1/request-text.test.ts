import { describe, expect, test } from "vitest";
import { requestText } from "./request-text.ts";

const request = { host: "h:1", method: "GET", path: "/a?b=c", headers: {} };

describe("a request as sent", () => {
  test("has its headers, one line for each of several values, and its body", () => {
    const headers = { accept: "x", "impersonate-group": ["a", "b"], none: undefined, "content-length": 3 };
    expect(requestText({ ...request, method: "PUT", headers, body: "ü1" })).toBe(
      "PUT /a?b=c HTTP/1.1\r\nhost: h:1\r\naccept: x\r\nimpersonate-group: a\r\nimpersonate-group: b\r\ncontent-length: 3\r\n\r\nü1",
    );
  });

  test.each(["POST", "PUT", "PATCH"])("has a content-length of 0 for %s without a body", (method) => {
    expect(requestText({ ...request, method })).toMatch(/\r\ncontent-length: 0\r\n\r\n$/);
  });

  test.each(["GET", "DELETE", "HEAD"])("says nothing of a body of %s", (method) => {
    expect(requestText({ ...request, method })).not.toMatch(/content-length/);
  });

  test("has a head in Latin-1 and a body in UTF-8", () => {
    const bytes = requestText({ ...request, headers: { "x-a": "é" }, body: "é" });
    expect(bytes).toEqual(Buffer.from("GET /a?b=c HTTP/1.1\r\nhost: h:1\r\nx-a: \xe9\r\n\r\n\xc3\xa9", "latin1"));
  });

  test("asks for the root when no path is given", () => {
    expect(requestText({ ...request, path: "" })).toMatch(/^GET \/ HTTP/);
  });

  test.each([
    ["a line end in a path", { path: "/a\r\nx: y" }, "ERR_UNESCAPED_CHARACTERS"],
    ["half a line end in a path", { path: "/a\nx" }, "ERR_UNESCAPED_CHARACTERS"],
    ["a space in a path", { path: "/a HTTP/1.1" }, "ERR_UNESCAPED_CHARACTERS"],
    ["a letter beyond Latin-1 in a path", { path: "/\u010d\u010a" }, "ERR_UNESCAPED_CHARACTERS"],
    ["a line end in a value", { headers: { a: "b\r\nc: d" } }, "ERR_INVALID_CHAR"],
    ["half a line end in one of several values", { headers: { a: ["b", "c\n"] } }, "ERR_INVALID_CHAR"],
    ["a letter that would become a line end", { headers: { a: "\u010d\u010a" } }, "ERR_INVALID_CHAR"],
    ["a NUL in a value", { headers: { a: "\0" } }, "ERR_INVALID_CHAR"],
    ["a line end in a name", { headers: { "a\r\nb": "c" } }, "ERR_INVALID_HTTP_TOKEN"],
    ["a method of two words", { method: "GET /x" }, "ERR_INVALID_HTTP_TOKEN"],
  ])("never has %s", (_, part, code) => {
    expect(() => requestText({ ...request, ...part })).toThrow(expect.objectContaining({ code }));
  });
});
