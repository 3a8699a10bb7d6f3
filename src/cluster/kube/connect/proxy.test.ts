import { describe, expect, test } from "vitest";
import { type Environment, proxyFromEnvironment } from "./proxy.ts";

const proxy = "http://proxy:3128";

describe("the proxy for a server", () => {
  test.each<[string, Environment, string | undefined]>([
    ["https://api.example.com:6443", {}, undefined],
    ["https://api.example.com:6443", { HTTPS_PROXY: proxy }, proxy],
    ["https://api.example.com:6443", { https_proxy: "proxy:3128" }, proxy],
    ["https://api.example.com", { HTTP_PROXY: proxy }, undefined],
    ["http://api.example.com", { HTTP_PROXY: proxy }, proxy],
    ["https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://127.0.0.1:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://api.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "*" }, undefined],
    ["https://api.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "other, example.com" }, undefined],
    ["https://api.example.com", { HTTPS_PROXY: proxy, no_proxy: ".example.com" }, undefined],
    ["https://example.com", { HTTPS_PROXY: proxy, NO_PROXY: ".example.com" }, proxy],
    ["https://notexample.com", { HTTPS_PROXY: proxy, NO_PROXY: "example.com" }, proxy],
    ["https://api.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "*.example.com" }, undefined],
    ["https://api.example.com:6443", { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:443" }, proxy],
    ["https://api.example.com", { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:443" }, undefined],
    ["https://10.1.2.3", { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3", { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, proxy],
    ["https://10.1.2.3", { HTTPS_PROXY: proxy, NO_PROXY: "10.1.2.3" }, undefined],
    ["https://10.1.2.3", { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/99,nonsense/8" }, proxy],
    ["https://[fd00::5]", { HTTPS_PROXY: proxy, NO_PROXY: "fd00::/8" }, undefined],
    ["https://[fd00::5]", { HTTPS_PROXY: proxy, NO_PROXY: "[fd00::5]:443" }, undefined],
  ])("%s with %j is %s", (server, env, expected) => {
    expect(proxyFromEnvironment(new URL(server), env)).toBe(expected);
  });
});
