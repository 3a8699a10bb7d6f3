import { describe, expect, it } from "vitest";
import { configMap } from "./config-map.ts";
import { create, row, update } from "../testing/run-strategy.ts";

const badKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const frozen = "Forbidden: field is immutable when `immutable` is set";

describe("ConfigMap", () => {
  it("checks keys, and that no key is in both maps", () => {
    expect(create(configMap, { data: { "a b": "x", k: "v" }, binaryData: { k: "YQ==", "..": "" } }).faults).toEqual([
      `data[a b]: Invalid value: "a b": ${badKey}`,
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
      "binaryData[..]: Invalid value: \"..\": must not be '..'",
    ]);
  });

  it("holds at most 1 MiB, counted in UTF-8 and decoded base64", () => {
    const half = "é".repeat(256 * 1024);
    const binary = Buffer.alloc(512 * 1024).toString("base64");
    expect(create(configMap, { data: { a: half }, binaryData: { b: binary } }).faults).toEqual([]);
    expect(create(configMap, { data: { a: half, c: "x" }, binaryData: { b: binary } }).faults).toEqual([
      "[]: Too long: may not be more than 1048576 bytes",
    ]);
  });

  it("changes freely until it is immutable, and then only in its metadata", () => {
    const { object } = create(configMap, { data: { a: "1" } });
    const sealed = update(configMap, object, { immutable: true, data: { a: "2" } });
    expect(sealed.faults).toEqual([]);
    const change = { immutable: false, data: { a: "3" }, binaryData: { b: "YQ==" } };
    expect(update(configMap, sealed.object, change).faults).toEqual([
      `immutable: ${frozen}`,
      `data: ${frozen}`,
      `binaryData: ${frozen}`,
    ]);
    expect(update(configMap, sealed.object, { metadata: { labels: { a: "b" } } }).faults).toEqual([]);
  });

  it("counts its keys", () => {
    const { object } = create(configMap, {
      metadata: { name: "l1", creationTimestamp: "1970-01-01T00:00:00Z" },
      data: { a: "1" },
      binaryData: { b: "" },
    });
    expect(row(configMap, object, 3000)).toEqual({ Name: "l1", Data: 2, Age: "3s" });
  });
});
