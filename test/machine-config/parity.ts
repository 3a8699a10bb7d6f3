import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { apiVersion, type MachineConfig, roleLabel } from "../../src/domain/machine-config/api.ts";
import type { Digest } from "../../src/domain/machine-config/content-hash.ts";

const folder = join(import.meta.dirname, "../..");

/** The recorded cases of one file of `test/fixtures/machine-config`. */
export function casesOf<Case extends { id: string }>(file: string): Case[] {
  return parse(readFileSync(join(folder, "test/fixtures/machine-config", `${file}.yaml`), "utf8")) as Case[];
}

/** Cases that `docs/machine-config-parity.md` lists, with the weak point that explains each: `merge-x` → `W-6`. */
export function differences(): ReadonlyMap<string, string> {
  const text = readFileSync(join(folder, "docs/machine-config-parity.md"), "utf8");
  const rows = [...text.matchAll(/^\| (`[^|]*`) \| (W-\d+) \|/gm)];
  return new Map(
    rows.flatMap(([, ids = "", point = ""]) =>
      Array.from(ids.matchAll(/`([^`]+)`/g), ([, id = ""]): [string, string] => [id, point]),
    ),
  );
}

const listed = differences();

/**
 * One test for each case. `ours` are the cases in which Attune does something else, with what it does; the document must
 * list exactly these, and a case that is in it must really differ.
 */
export function agreesWithRecorded<Case extends { id: string; expect: unknown }>(
  cases: readonly Case[],
  ours: Readonly<Record<string, unknown>>,
  actual: (recorded: Case) => unknown,
): void {
  test.each(cases.map((recorded): [string, Case] => [recorded.id, recorded]))("%s", async (id, recorded) => {
    const result = await actual(recorded);
    if (!(id in ours)) {
      expect(result).toEqual(recorded.expect);
      return;
    }
    expect(result).toEqual(ours[id]);
    expect(ours[id]).not.toEqual(recorded.expect);
  });

  test("every difference is listed with its weak point, and none that is not there", () => {
    const ids = cases.map(({ id }) => id);
    expect(ids.filter((id) => listed.has(id)).toSorted()).toEqual(Object.keys(ours).toSorted());
    expect(Object.keys(ours).filter((id) => !ids.includes(id))).toEqual([]);
  });
}

export const sha256: Digest = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

/** As the fixtures write it: name, role (default worker), labels, annotations, and the fields of spec directly. */
export interface ShortMachineConfig {
  name?: string;
  role?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Bytes instead of JSON. */
  configText?: string;
  [field: string]: unknown;
}

export function machineConfigOf(short: ShortMachineConfig): MachineConfig {
  const { name = "x", role = "worker", labels = {}, annotations, configText, ...spec } = short;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name, labels: { [roleLabel]: role, ...labels }, ...(annotations ? { annotations } : {}) },
    spec: { ...spec, ...(configText === undefined ? {} : { config: configText === "null" ? null : configText }) },
  };
}
