import { describe } from "vitest";
import { apiVersion } from "../../src/domain/machine-config/api.ts";
import { readSource } from "../../src/domain/machine-config/read-source.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { FileDecoder } from "../../src/language/ignition/file-decoder.ts";
import { readIgnition } from "../../src/language/ignition/read-ignition.ts";
import { agreesWithRecorded, casesOf, machineConfigOf, sha256, type ShortMachineConfig } from "./parity.ts";

type Recorded = { id: string; expect: unknown } & (
  | { check: "validate"; spec: ShortMachineConfig }
  | { check: "convert"; config: unknown }
  | { check: "size"; fileBytes: number }
);

function actual(recorded: Recorded): unknown {
  switch (recorded.check) {
    case "validate":
      return { valid: isValid(recorded.spec) };
    case "convert": {
      const read = readIgnition(recorded.config, "spec.config");
      return read.type === "document" ? { config: read.document } : { refused: true };
    }
    case "size":
      return { valid: fits(recorded.fileBytes) };
  }
}

function isValid(spec: ShortMachineConfig): boolean {
  return readSource(machineConfigOf(spec).spec ?? {}, new FileDecoder()).type === "source";
}

function fits(fileBytes: number): boolean {
  const file = { path: "/etc/a", mode: 420, contents: { source: `data:,${"a".repeat(fileBytes)}` } };
  const rendering = renderPool({
    pool: { apiVersion, kind: "MachineConfigPool", metadata: { name: "r" } },
    machineConfigs: [
      machineConfigOf({ name: "x", config: { ignition: { version: "3.2.0" }, storage: { files: [file] } } }),
    ],
    version: "1",
    digest: sha256,
  });
  return rendering.type === "rendered";
}

const refused = { valid: false };

/**
 * machine-config W-2: what no node can apply is said of the object, not of each node. machine-config W-6: append is refused.
 * machine-config W-7: names cannot leave their folder.
 */
const ours = {
  "ign-source-http": refused,
  "mc-extension-unknown-no-ignition": refused,
  "ign-append": refused,
  "ign-unit-name-path": refused,
};

describe("a MachineConfig is valid, converted and of a size as recorded", () => {
  agreesWithRecorded(casesOf<Recorded>("ignition"), ours, actual);
});
