import { describe } from "vitest";
import { type StorageOverride, refusedChanges } from "../../src/domain/machine-config/reconcilable.ts";
import { readSource } from "../../src/domain/machine-config/read-source.ts";
import { FileDecoder } from "../../src/language/ignition/file-decoder.ts";
import { readAccepted } from "../../src/language/ignition/read-ignition.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";

interface Spec {
  config?: unknown;
  fips?: boolean;
}

interface Recorded {
  id: string;
  old: Spec;
  new: Spec;
  overrides?: { storage: StorageOverride[] };
  expect: { reconcilable: boolean };
}

function isReconcilable({ old, new: next, overrides }: Recorded): boolean {
  const before = readAccepted(old.config, "spec.config");
  const after = readSource(next, new FileDecoder());
  if (before.type === "problems" || after.type === "problems") return false;
  const { document } = before;
  return refusedChanges({ document, fips: old.fips ?? false }, after.source, overrides?.storage).length === 0;
}

/** machine-config W-13: directories and links are applied. */
const ours = {
  "diff-unreconcilable": true,
  "rec-directory-added": true,
  "rec-directory-removed": true,
  "rec-link-added": true,
};

describe("a running node can change from one config to another as recorded", () => {
  const cases = casesOf<Recorded>("reconcilable").map((recorded) => ({
    id: recorded.id,
    recorded,
    expect: recorded.expect.reconcilable,
  }));
  agreesWithRecorded(cases, ours, ({ recorded }) => isReconcilable(recorded));
});
