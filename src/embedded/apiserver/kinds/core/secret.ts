import type { Secret } from "kubernetes-types/core/v1.js";
import { set } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { configMapKey } from "../../../../language/object/names.ts";
import { type FieldError, immutable, invalid, required, tooLong } from "../../../../language/schema/field-error.ts";
import { base64Size } from "../decode/base64.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { maxDataSize, whenImmutable } from "./config-map.ts";
import { defineKind } from "../define-kind.ts";

const accountAnnotation = "kubernetes.io/service-account.name";

export const secret = defineKind({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
  selectableFields: { type: (object) => (object as Secret).type ?? "" },
  columns: [
    nameColumn,
    stringColumn(
      "Type",
      typed<Secret>(({ type }) => type ?? ""),
    ),
    stringColumn(
      "Data",
      typed<Secret>(({ data }) => Object.keys(data ?? {}).length),
    ),
    ageColumn,
  ],
  strategy: {
    defaults,
    prepareForUpdate: (object, old) => {
      object.type ??= old.type;
    },
    validate,
    validateUpdate: (object, old) => [
      ...(object.type === old.type ? [] : [immutable("type", object.type)]),
      ...whenImmutable(object, old, ["immutable", "data"]),
    ],
  },
});

/** stringData is write-only: it is encoded into data and not stored. */
function defaults(object: KubeObject): void {
  const body = object as Secret;
  if (body.stringData) {
    const data = (body.data ??= {});
    for (const [key, value] of Object.entries(body.stringData))
      set(data, key, Buffer.from(value, "utf8").toString("base64"));
    delete body.stringData;
  }
  body.type ??= "Opaque";
}

function validate(object: KubeObject): FieldError[] {
  const { data = {}, type } = object as Secret;
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const reason of configMapKey(key)) errors.push(invalid(`data[${key}]`, key, reason));
    size += base64Size(value);
  }
  if (size > maxDataSize) errors.push(tooLong("data", maxDataSize));
  const demand = demands[type ?? ""];
  return demand ? [...errors, ...demand(object)] : errors;
}

const demands: Record<string, ((object: KubeObject) => FieldError[]) | undefined> = {
  "kubernetes.io/service-account-token": ({ metadata }) =>
    metadata.annotations?.[accountAnnotation] ? [] : [required(`metadata.annotations[${accountAnnotation}]`)],
  "kubernetes.io/dockercfg": (object) => jsonKey(object, ".dockercfg"),
  "kubernetes.io/dockerconfigjson": (object) => jsonKey(object, ".dockerconfigjson"),
  "kubernetes.io/basic-auth": (object) =>
    missing(object, "username").length > 0 && missing(object, "password").length > 0
      ? [...missing(object, "username"), ...missing(object, "password")]
      : [],
  "kubernetes.io/ssh-auth": (object) => missing(object, "ssh-privatekey"),
  "kubernetes.io/tls": (object) => [...missing(object, "tls.crt"), ...missing(object, "tls.key")],
};

function missing(object: KubeObject, key: string): FieldError[] {
  return Object.hasOwn((object as Secret).data ?? {}, key) ? [] : [required(`data[${key}]`)];
}

function jsonKey(object: KubeObject, key: string): FieldError[] {
  const absent = missing(object, key);
  if (absent.length > 0) return absent;
  try {
    JSON.parse(Buffer.from((object as Secret).data?.[key] ?? "", "base64").toString("utf8"));
    return [];
  } catch {
    return [invalid(`data[${key}]`, "<secret contents redacted>", "must be JSON")];
  }
}
