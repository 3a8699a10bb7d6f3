import type { CSIDriver, CSIDriverSpec } from "kubernetes-types/storage/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import {
  type FieldError,
  duplicate,
  immutable,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import type { Column } from "../../resource.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";

/** With fields that `kubernetes-types` does not have yet. */
type Spec = CSIDriverSpec & { nodeAllocatableUpdatePeriodSeconds?: number; serviceAccountTokenInSecrets?: boolean };

const specOf = (object: KubeObject): Spec => object.spec as Spec;
const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifeCycles = ["Persistent", "Ephemeral"];

const tokensMayLeak =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

const flag = (name: string, field: keyof Spec, absent: boolean): Column => ({
  name,
  type: "boolean",
  priority: 0,
  cell: (object) => specOf(object)[field] ?? absent,
});

export const csiDriver = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  namespaced: false,
  columns: [
    nameColumn,
    flag("AttachRequired", "attachRequired", true),
    flag("PodInfoOnMount", "podInfoOnMount", false),
    flag("StorageCapacity", "storageCapacity", false),
    stringColumn(
      "TokenRequests",
      typed<CSIDriver>(({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>"),
    ),
    flag("RequiresRepublish", "requiresRepublish", false),
    stringColumn(
      "Modes",
      typed<CSIDriver>(({ spec }) => spec.volumeLifecycleModes?.join(",") || "<none>"),
    ),
    ageColumn,
  ],
  strategy: {
    defaults,
    validate: (object) => validate(specOf(object)),
    validateUpdate,
    validateName: (name) => validateDriverName(name, "").map(({ message }) => message),
    warnings: (object) => {
      const { tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = specOf(object);
      return tokenRequests.length === 0 || inSecrets !== undefined ? [] : [tokensMayLeak];
    },
    // As kube-apiserver: the generation starts at 0.
    prepareForUpdate: (object, old) => {
      if (!equal(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    requiresVersion: true,
    returnDeleted: true,
  },
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function validate(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const { fsGroupPolicy, nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  const requests = spec.tokenRequests ?? [];
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy))
    errors.push(notSupported("spec.fsGroupPolicy", fsGroupPolicy, groupPolicies));
  errors.push(...validateTokens(requests));
  for (const mode of spec.volumeLifecycleModes ?? [])
    if (!lifeCycles.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, lifeCycles));
  if (period !== undefined && period < 10)
    errors.push(
      invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds"),
    );
  if (inSecrets !== undefined && requests.length === 0)
    errors.push(
      invalid(
        "spec.serviceAccountTokenInSecrets",
        inSecrets,
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
      ),
    );
  return errors;
}

function validateTokens(requests: NonNullable<Spec["tokenRequests"]>): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { audience, expirationSeconds: seconds = 600 }] of requests.entries()) {
    const at = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) errors.push(duplicate(`${at}.audience`, audience));
    else if (seconds < 600)
      errors.push(invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
    else if (seconds > 2 ** 32)
      errors.push(invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
    seen.add(audience);
  }
  return errors;
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const now = specOf(object);
  const before = specOf(old);
  return [
    // Spelled like this in kube-apiserver's message.
    ...(now.attachRequired === before.attachRequired ? [] : [immutable("spec.attachedRequired", now.attachRequired)]),
    ...(equal(now.volumeLifecycleModes, before.volumeLifecycleModes)
      ? []
      : [immutable("spec.volumeLifecycleModes", now.volumeLifecycleModes)]),
  ];
}

const longest = 63;

export function validateDriverName(driver: string, at: string): FieldError[] {
  if (driver === "") return [required(at)];
  return [
    ...(driver.length > longest ? [tooLong(at, longest)] : []),
    ...dnsSubdomain(driver.toLowerCase()).map((why) => invalid(at, driver, why)),
  ];
}
