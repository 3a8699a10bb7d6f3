import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileEntry, IgnitionDocument, UnitEntry } from "../../language/ignition/document.ts";
import { mergeDocuments } from "../../language/ignition/merge-documents.ts";
import { apiVersion, type MachineConfig, roleLabel } from "./api.ts";
import { renderPool } from "./render-pool.ts";

const pool = { apiVersion, kind: "MachineConfigPool", metadata: { name: "worker", uid: "u" } };
const version = "3.5.0";

function nameOf(machineConfigs: readonly MachineConfig[]): string {
  const rendering = renderPool({
    pool,
    machineConfigs,
    version: "1",
    digest: (parts) => {
      const hash = createHash("sha256");
      for (const part of parts) hash.update(part);
      return hash.digest("hex");
    },
  });
  if (rendering.type === "refused") throw new Error(JSON.stringify(rendering.problems));
  return rendering.config.metadata.name ?? "";
}

function machineConfig(name: string, config: object): MachineConfig {
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: "worker" } }, spec: { config } };
}

const withFiles = (files: readonly object[]): object => ({ ignition: { version }, storage: { files } });

/** Every way to write the same bytes. */
const spellings: readonly ((bytes: Uint8Array) => object)[] = [
  (bytes) => ({ source: `data:;base64,${Buffer.from(bytes).toString("base64")}` }),
  (bytes) => ({
    source: `data:text/plain;charset=utf-8;base64,${Buffer.from(bytes).toString("base64")}`,
    compression: "",
  }),
  (bytes) => ({ source: `data:,${Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}` }),
  (bytes) => ({ source: `data:;base64,${gzipSync(bytes).toString("base64")}`, compression: "gzip" }),
  (bytes) => ({ source: `data:;base64,${gzipSync(bytes, { level: 1 }).toString("base64")}`, compression: "gzip" }),
];
const spelling = fc.constantFrom(...spellings);
const path = fc.constantFrom("/etc/a", "/etc/b", "/etc/c", "/opt/__proto__", "/opt/constructor");
const contents = fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 20 })), {
  maxLength: 4,
  selector: ([at]) => at,
});

describe("the name of a rendered config", () => {
  test("is the same for the same bytes in every spelling and order (machine-config W-5)", () => {
    const written = contents.chain((files) =>
      fc.record({
        files: fc.constant(files),
        first: fc.array(spelling, { minLength: files.length, maxLength: files.length }),
        second: fc.array(spelling, { minLength: files.length, maxLength: files.length }),
        order: fc.shuffledSubarray(
          files.map((_, i) => i),
          { minLength: files.length },
        ),
      }),
    );
    fc.assert(
      fc.property(written, ({ files, first, second, order }) => {
        const spelt = (how: typeof first): object[] =>
          files.map(([at, bytes], i) => ({ path: at, mode: 420, contents: how[i]?.(bytes) }));
        const shuffled = order.map((i) => spelt(second)[i] ?? {});
        const name = nameOf([machineConfig("10-a", withFiles(spelt(first)))]);
        expect(nameOf([machineConfig("10-a", withFiles(shuffled))])).toBe(name);
        expect(
          nameOf(
            shuffled
              .map((file, i) => machineConfig(`10-${i}`, withFiles([file])))
              .concat(machineConfig("99", withFiles([]))),
          ),
        ).toBe(name);
      }),
    );
  });

  test("differs when a byte, a mode or an owner does", () => {
    const change = fc.constantFrom<(file: { bytes: Uint8Array }) => object>(
      ({ bytes }) => ({ contents: spellings[0]?.(new Uint8Array([...bytes, 0])) }),
      () => ({ mode: 0o600 }),
      () => ({ user: { id: 7 } }),
      () => ({ group: { name: "7" } }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), change, (bytes, changed) => {
        const file = { path: "/etc/a", mode: 0o644, contents: spellings[0]?.(bytes) };
        const name = nameOf([machineConfig("a", withFiles([file]))]);
        expect(nameOf([machineConfig("a", withFiles([{ ...file, ...changed({ bytes }) }]))])).not.toBe(name);
      }),
    );
  });
});

describe("merging documents", () => {
  const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
  const account = fc.oneof(fc.record({ id: fc.nat(9) }), fc.record({ name: fc.constantFrom("a", "b") }));
  const resource = fc.record(
    {
      source: fc.constantFrom("data:,1", "data:,2"),
      compression: fc.constantFrom("", "gzip"),
      verification: fc.record({ hash: fc.constantFrom("x", "y") }),
    },
    { requiredKeys: [] },
  );
  const fileEntry = fc.record(
    {
      path,
      mode: fc.constantFrom(384, 420),
      contents: resource,
      user: account,
      group: account,
      overwrite: fc.boolean(),
    },
    { requiredKeys: ["path"] },
  ) as fc.Arbitrary<FileEntry>;
  const dropin = fc.record(
    { name: fc.constantFrom("1.conf", "2.conf"), contents: fc.constantFrom("", "x") },
    { requiredKeys: ["name"] },
  );
  const unit = fc.record(
    {
      name: fc.constantFrom("a.service", "b.service"),
      contents: fc.constantFrom("x", "y"),
      enabled: fc.boolean(),
      mask: fc.boolean(),
      dropins: fc.uniqueArray(dropin, { selector: ({ name }) => name }),
    },
    { requiredKeys: ["name"] },
  ) as fc.Arbitrary<UnitEntry>;
  const document: fc.Arbitrary<IgnitionDocument> = fc
    .record({
      files: optional(fc.uniqueArray(fileEntry, { selector: (file) => file.path })),
      units: optional(fc.uniqueArray(unit, { selector: ({ name }) => name })),
      keys: optional(fc.uniqueArray(fc.constantFrom("k1", "k2", "k3"))),
    })
    .map(({ files, units, keys }) => ({
      ignition: { version },
      ...(files ? { storage: { files } } : {}),
      ...(units ? { systemd: { units } } : {}),
      ...(keys ? { passwd: { users: [{ name: "core", sshAuthorizedKeys: keys }] } } : {}),
    }));

  test("is associative, as long as no path changes its kind", () => {
    fc.assert(
      fc.property(document, document, document, (a, b, c) => {
        const whole = mergeDocuments([a, b, c]);
        expect(mergeDocuments([mergeDocuments([a, b]), c])).toEqual(whole);
        expect(mergeDocuments([a, mergeDocuments([b, c])])).toEqual(whole);
      }),
    );
  });

  test("with itself changes nothing", () => {
    fc.assert(
      fc.property(document, (one) => {
        expect(mergeDocuments([one, one])).toEqual(one);
      }),
    );
  });

  test("never mixes an account, or contents, of two documents (machine-config W-6)", () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 4 }), (documents) => {
        const files = documents.flatMap(({ storage }) => storage?.files ?? []);
        for (const file of mergeDocuments(documents).storage?.files ?? [])
          for (const part of ["user", "group", "contents"] as const)
            if (file[part]) expect(files.some((one) => one[part] === file[part])).toBe(true);
      }),
    );
  });
});
