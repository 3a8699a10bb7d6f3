import { dns1035Label } from "../../../../../language/object/names.ts";
import { defineKind } from "../../define-kind.ts";
import { allocate } from "./allocate.ts";
import { columns } from "./columns.ts";
import { defaults } from "./defaults.ts";
import { forgetOfFormerType } from "./forget.ts";
import { specOf } from "./service-spec.ts";
import { validate, validateStatus, validateUpdate } from "./validate.ts";
import { warnings } from "./warnings.ts";

export const service = defineKind({
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  shortNames: ["svc"],
  categories: ["all"],
  namespaced: true,
  selectableFields: {
    "spec.clusterIP": (object) => specOf(object).clusterIP ?? "",
    "spec.type": (object) => specOf(object).type ?? "",
  },
  columns,
  strategy: {
    defaults,
    allocate,
    prepareForCreate: (object) => {
      object.status = { loadBalancer: {} };
    },
    prepareForUpdate: forgetOfFormerType,
    validate,
    validateUpdate,
    warnings,
    validateName: dns1035Label,
    createOnUpdate: true,
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});
