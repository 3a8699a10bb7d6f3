import { describe, expect, it } from "vitest";
import { secret } from "./secret.ts";
import { create, update } from "../testing/run-strategy.ts";

describe("Secret", () => {
  it("stores stringData in data, and defaults to type Opaque", () => {
    const { object, faults } = create(secret, {
      data: { a: "YQ==", b: "Yg==" },
      stringData: { a: "é", __proto__x: "" },
    });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({ data: { a: "w6k=", b: "Yg==", __proto__x: "" }, type: "Opaque" });
    expect(object).not.toHaveProperty("stringData");
  });

  it.each([
    ["kubernetes.io/tls", {}, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
    ["kubernetes.io/basic-auth", {}, ["data[username]: Required value", "data[password]: Required value"]],
    ["kubernetes.io/basic-auth", { username: "YQ==" }, []],
    ["kubernetes.io/ssh-auth", {}, ["data[ssh-privatekey]: Required value"]],
    ["kubernetes.io/dockerconfigjson", {}, ["data[.dockerconfigjson]: Required value"]],
    ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": "e30=" }, []],
    [
      "kubernetes.io/service-account-token",
      {},
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
    ["example.com/own", {}, []],
  ])("of type %s with %j has the faults %j", (type, data, faults) => {
    expect(create(secret, { type, data }).faults).toEqual(faults);
  });

  it("does not show its content in errors", () => {
    const { faults } = create(secret, { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "c2VjcmV0" } });
    expect(faults).toEqual(['data[.dockercfg]: Invalid value: "<secret contents redacted>": must be JSON']);
  });

  it("has an immutable type, and immutable data once it is immutable", () => {
    const { object } = create(secret, { data: { a: "MQ==" }, immutable: true });
    expect(update(secret, object, { immutable: false, type: "x", data: { a: "Mg==" } }).faults).toEqual([
      'type: Invalid value: "x": field is immutable',
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
    expect(update(secret, object, { type: null }).faults).toEqual([]);
  });
});
