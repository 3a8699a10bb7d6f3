import type { ServiceAccount } from "kubernetes-types/core/v1.js";
import { ageColumn, nameColumn } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

export const serviceAccount = defineKind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  namespaced: true,
  columns: [nameColumn, ageColumn],
  strategy: {
    // Only the name of a secret is kept: secrets are in the namespace of the account.
    prepareForCreate: (object) => keepSecretNames(object as ServiceAccount),
    prepareForUpdate: (object) => keepSecretNames(object as ServiceAccount),
    returnDeleted: true,
  },
});

function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}
