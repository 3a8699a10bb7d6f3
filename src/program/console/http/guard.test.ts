import { expect, it } from "vitest";
import { refusalOf } from "./guard.ts";

const rules = { protocol: "http:", port: 7000, allowedHosts: ["console.example"] } as const;
const own = { host: "127.0.0.1:7000" };
const fromPage = { ...own, origin: "http://127.0.0.1:7000", "content-type": "application/json; charset=utf-8" };

it.each([
  ["a page by its address", "GET", "/", own, undefined],
  ["a page by the name of this machine", "GET", "/plan", { host: "LocalHost:7000" }, undefined],
  ["a page by an address of version 6", "GET", "/", { host: "[::1]:7000" }, undefined],
  ["a page by an allowed name", "GET", "/", { host: "console.example" }, undefined],
  ["a page by a name that resolves to this machine", "GET", "/", { host: "attacker.example:7000" }, 421],
  ["another port", "GET", "/", { host: "127.0.0.1:7001" }, 421],
  ["no host", "GET", "/", {}, 421],
  ["data for its own page", "GET", "/api/session", { ...own, "sec-fetch-site": "same-origin" }, undefined],
  ["data for another site", "GET", "/api/session", { ...own, "sec-fetch-site": "cross-site" }, 403],
  ["data for another port of this machine", "GET", "/api/stream", { ...own, "sec-fetch-site": "same-site" }, 403],
  ["data for no page", "GET", "/api/session", own, 403],
  ["a write of its own page", "POST", "/api/apply", fromPage, undefined],
  ["a write of another origin", "POST", "/api/apply", { ...fromPage, origin: "http://attacker.example" }, 403],
  ["a write of a page without origin", "POST", "/api/apply", { ...fromPage, origin: "null" }, 403],
  ["a write without origin", "POST", "/api/apply", { ...own, "content-type": "application/json" }, 403],
  ["a write over another protocol", "POST", "/api/apply", { ...fromPage, origin: "https://127.0.0.1:7000" }, 403],
  ["a form", "POST", "/api/apply", { ...fromPage, "content-type": "application/x-www-form-urlencoded" }, 415],
  ["a form of plain text", "POST", "/api/apply", { ...fromPage, "content-type": "text/plain" }, 415],
  ["a write without a type", "POST", "/api/apply", { ...own, origin: fromPage.origin }, 415],
  ["the end of a session", "DELETE", "/api/session", { ...own, origin: fromPage.origin }, undefined],
  ["a write to a page", "POST", "/", fromPage, 405],
  ["a method that nothing has", "PATCH", "/api/apply", fromPage, 405],
  ["a question about other origins", "OPTIONS", "/api/apply", fromPage, 405],
])("%s", (_, method, path, headers, code) => {
  expect(refusalOf({ method, path, headers }, rules)?.code).toBe(code);
});
