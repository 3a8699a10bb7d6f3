import type { VolumeAttachment, VolumeAttachmentSpec, VolumeError } from "kubernetes-types/storage/v1.js";
import type { PersistentVolumeSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  immutable,
  invalid,
  required,
  tooLong,
} from "../../../../language/schema/field-error.ts";
import { between, maxInt32 } from "../bounds.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { validateDriverName } from "./csi-driver.ts";
import { defineKind } from "../define-kind.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validateSources } from "./persistent-volume-validation.ts";

const specOf = (object: KubeObject): VolumeAttachmentSpec => (object as KubeObject & VolumeAttachment).spec;
const mostMetadata = 256 * 1024;
const longestMessage = 1024;

export const volumeAttachment = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
  columns: [
    nameColumn,
    {
      ...stringColumn(
        "Attacher",
        typed<VolumeAttachment>(({ spec }) => spec.attacher),
      ),
      format: "name",
    },
    stringColumn(
      "PV",
      typed<VolumeAttachment>(({ spec }) => spec.source.persistentVolumeName ?? ""),
    ),
    stringColumn(
      "Node",
      typed<VolumeAttachment>(({ spec }) => spec.nodeName),
    ),
    {
      name: "Attached",
      type: "boolean",
      priority: 0,
      cell: typed<VolumeAttachment>(({ status }) => status?.attached ?? false),
    },
    ageColumn,
  ],
  strategy: {
    prepareForCreate: (object) => {
      object.status = { attached: false };
    },
    validate,
    validateCreate,
    validateUpdate,
    requiresVersion: true,
    returnDeleted: true,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status", keepsMetadata: true, validateUpdate: validateStatus } },
});

function validate(object: KubeObject): FieldError[] {
  const { attacher, source, nodeName } = specOf(object);
  const errors = attacher === "" ? [required("spec.attacher")] : [];
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = source;
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (volume === undefined && !inline) errors.push(required("spec.source", one));
  else if (volume !== undefined && inline) errors.push(forbidden("spec.source", one));
  else if (volume === "")
    errors.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  else if (inline) errors.push(...validateInlineVolume(inline, "spec.source.inlineVolumeSpec"));
  for (const why of dnsSubdomain(nodeName)) errors.push(invalid("spec.nodeName", nodeName, why));
  return errors;
}

/** Checked on create only: existing objects may violate these rules. */
function validateCreate(object: KubeObject): FieldError[] {
  const { attacher, source } = specOf(object);
  const { persistentVolumeName: volume } = source;
  return [
    ...validateDriverName(attacher, "spec.attacher"),
    ...(volume === undefined
      ? []
      : dnsSubdomain(volume).map((why) => invalid("spec.source.persistentVolumeName", volume, why))),
  ];
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const { attacher, source, nodeName } = specOf(object);
  if (equal(specOf(object), specOf(old))) return [];
  const Source = {
    PersistentVolumeName: source.persistentVolumeName ?? null,
    InlineVolumeSpec: source.inlineVolumeSpec ?? null,
  };
  return [immutable("spec", { Attacher: attacher, Source, NodeName: nodeName })];
}

function validateStatus(object: KubeObject): FieldError[] {
  const { attachmentMetadata = {}, attachError, detachError } = (object as KubeObject & VolumeAttachment).status ?? {};
  const bytes = Object.entries(attachmentMetadata).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(bytes > mostMetadata ? [tooLong("status.attachmentMetadata", mostMetadata)] : []),
    ...validateError(attachError, "status.attachError"),
    ...validateError(detachError, "status.detachError"),
  ];
}

/** `kubernetes-types` does not have `errorCode` yet. */
function validateError(error: (VolumeError & { errorCode?: number }) | undefined, at: string): FieldError[] {
  const { message = "", errorCode } = error ?? {};
  return [
    // As kube-apiserver, names the limit of another field.
    ...(Buffer.byteLength(message) > longestMessage ? [tooLong(`${at}.message`, mostMetadata)] : []),
    ...between(errorCode, 0, maxInt32, `${at}.errorCode`),
  ];
}

const notAllowed = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const;
const context = "in the context of inline volumes";

/** A volume that is described in the attachment itself: a CSI volume without claim, capacity and class. */
export function validateInlineVolume(spec: PersistentVolumeSpec, at: string): FieldError[] {
  const { accessModes = [], csi, persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const errors: FieldError[] = [];
  for (const field of notAllowed)
    if (isSet(spec[field])) errors.push(forbidden(`${at}.${field}`, `may not be specified ${context}`));
  if (!csi) errors.push(required(`${at}.csi`, `has to be specified ${context}`));
  if (accessModes.length === 0) errors.push(required(`${at}.accessModes`));
  errors.push(...validateAccessModes(accessModes, `${at}.accessModes`));
  if (policy && policy !== "Retain")
    errors.push(forbidden(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`));
  if (volumeMode !== undefined && volumeMode !== "Filesystem")
    errors.push(forbidden(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`));
  for (const error of validateSources(spec)) errors.push({ ...error, field: at + error.field.slice("spec".length) });
  return errors;
}

const isSet = (value: unknown): boolean =>
  typeof value === "object" ? Object.keys(value ?? {}).length > 0 : value !== undefined && value !== "";
