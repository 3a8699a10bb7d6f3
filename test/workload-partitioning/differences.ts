import type { ReleaseName } from "../../src/domain/workload-partitioning/release.ts";
import type { Expected } from "./cases.ts";

const target = "target.workload.openshift.io/management";
const preferred = '{"effect":"PreferredDuringScheduling"}';
const resources = "resources.workload.openshift.io/";

const warned = (warningCode: string, others: object = {}): Expected => ({
  annotations: { ...others, "workload.openshift.io/warning": { warningCode } as unknown as string },
});

/** As all recorded pods with 250m and 250Mi are rewritten. */
const rewritten = (workload = "management"): Expected => {
  const name = `${workload}.workload.openshift.io/cores`;
  const limits = { memory: "500Mi", [name]: "250" };
  const content = { requests: { memory: "250Mi", [name]: "250" }, limits };
  return {
    annotations: {
      [`${resources}initTest`]: '{"cpushares":256}',
      [`${resources}test`]: '{"cpushares":256}',
      [target.replace("management", workload)]: preferred,
    },
    initContainers: { initTest: content },
    containers: { test: content },
  };
};

const undecodable: Expected = { refused: 422, codes: ["resource-annotation-undecodable"] };
const strictJson = {
  "pod-validate/case-insensitive-key": undecodable,
  "pod-validate/trailing-garbage": undecodable,
};

const off = warned("partitioning-off");
const fromFile = warned("cpu-limit-and-request", { "kubernetes.io/config.source": "file" });
const limited = warned("cpu-limit-and-request");

/**
 * Cases in which Attune does something else on purpose, by release; those of the documented release differ from what was
 * recorded of the current one. `docs/workload-partitioning-parity.md` lists them with the reason.
 */
export const differences: Partial<Record<ReleaseName, Readonly<Record<string, Expected>>>> = {
  current: strictJson,
  "4.16": strictJson,
  documented: {
    ...strictJson,
    "pod-admit-current/static-pod-skipped": fromFile,
    "pod-admit-version-matrix/static-pod-skipped": fromFile,
    "pod-admit-edge/source-http": { refused: 422, codes: ["effect-unparsable"] },
    "pod-admit-current/cpu-limit-carried-over": limited,
    "pod-admit-version-matrix/cpu-limit-and-request": limited,
    "pod-admit-version-matrix/node-without-resource-flag-on": limited,
    "pod-admit-version-matrix/no-nodes": limited,
    "pod-admit-current/partitioning-off": off,
    "pod-admit-edge/effect-broken-but-off": off,
    "pod-admit-edge/off-strips-target": warned("partitioning-off", { keep: "me" }),
    "pod-admit-version-matrix/topologies-empty": off,
    "pod-admit-version-matrix/ha-control-plane-without-flag": off,
    "pod-admit-version-matrix/partitioning-off": off,
    "pod-admit-version-matrix/ha-node-resource-without-flag": off,
    "pod-admit-version-matrix/single-node-zero-resource": off,
    "pod-admit-edge/single-node-fallback-gone": rewritten(),
    "pod-admit-version-matrix/single-node-upgrade-fallback": rewritten(),
    "pod-admit-edge/namespace-list-space": rewritten("test"),
    "node-validate/substring": {
      refused: 422,
      codes: ["node-capacity-missing", "node-allocatable-missing"],
    },
    "node-validate/update-missing": {},
    "node-validate/infra-missing": {},
  },
};

export function differenceOf(release: ReleaseName, file: string, id: string): Expected | undefined {
  return differences[release]?.[`${file}/${id}`];
}

/**
 * Recorded cases of the installer and of the node tuning operator in which Attune does something else on purpose, and what it
 * does. `not run`: it has no such part.
 */
export const installationDifferences: Readonly<Record<string, unknown>> = {
  "unknown-value": "problems",
  "v4.13-without-tech-preview": "AllNodes",
  "override-annotation": "not run",
  "none-is-passed-too": "not run",
  "empty-not-passed": "not run",
  "no-transition-rule": "refused",
  "mode-unknown-errors": "nothing is produced",
  "mixed-cpus": "other white space",
  "capacity-only": "AllNodes",
  "removed-later": "AllNodes",
  "mc-create-fails": "AllNodes",
  "hypershift-skipped": "not run",
};
