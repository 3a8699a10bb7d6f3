import { describe } from "vitest";
import { changesBetween } from "../../src/domain/machine-config/cost/changes.ts";
import { readContents } from "../../src/domain/machine-config/read-contents.ts";
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
  /** `diff`: the kinds of difference, where recorded. */
  expect: { reconcilable: boolean; diff?: string[] };
}

function isReconcilable({ old, new: next, overrides }: Recorded): boolean {
  const before = readAccepted(old.config, "spec.config");
  const after = readSource(next, new FileDecoder());
  if (before.type === "problems" || after.type === "problems") return false;
  const { document } = before;
  return refusedChanges({ document, fips: old.fips ?? false }, after.source, overrides?.storage).length === 0;
}

/** The recorded names of differences. */
function kindsOf({ old, new: next }: Recorded): string[] {
  const [before, after] = [readContents(old), readContents(next)];
  if (before.type === "problems" || after.type === "problems") throw new Error("not valid");
  const changes = changesBetween(before.contents, after.contents);
  const lists = ["files", "units", "directories", "links"] as const;
  return [
    ...lists.filter((kind) => changes[kind].length > 0),
    ...(changes.users.length > 0 ? ["passwd"] : []),
    ...(changes.kernelArguments ? ["kargs"] : []),
    ...(["kernelType", "extensions", "fips"] as const).filter((kind) => changes[kind]),
    ...(changes.osImage ? ["osUpdate"] : []),
  ];
}

/** machine-config W-5: the order of files and extensions means nothing. machine-config W-13: directories and links are applied. */
const ours = {
  "diff-extensions-order": { diff: [], reconcilable: true },
  "diff-file-order": { diff: [], reconcilable: true },
  "diff-link-removed": { diff: ["links"], reconcilable: true },
  "diff-unreconcilable": { reconcilable: true },
  "rec-directory-added": { reconcilable: true },
  "rec-directory-removed": { reconcilable: true },
  "rec-link-added": { reconcilable: true },
};

describe("a running node can change from one config to another as recorded", () => {
  agreesWithRecorded(casesOf<Recorded>("reconcilable"), ours, (recorded) => ({
    reconcilable: isReconcilable(recorded),
    ...(recorded.expect.diff ? { diff: kindsOf(recorded) } : {}),
  }));
});
