import type { PodTemplate } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { nameColumn, orNone, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { defaultPodSpec } from "./pod/defaults.ts";
import { validatePodTemplate } from "./pod-template.ts";

const containersOf = ({ template }: PodTemplate) => template?.spec?.containers ?? [];

export const podTemplate = defineKind({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Containers",
      typed<PodTemplate>((object) =>
        containersOf(object)
          .map(({ name }) => name)
          .join(","),
      ),
    ),
    stringColumn(
      "Images",
      typed<PodTemplate>((object) =>
        containersOf(object)
          .map(({ image }) => image)
          .join(","),
      ),
    ),
    stringColumn(
      "Pod Labels",
      typed<PodTemplate>(({ template }) =>
        orNone(
          Object.entries(template?.metadata?.labels ?? {})
            .map(([key, value]) => `${key}=${value}`)
            .toSorted()
            .join(","),
        ),
      ),
    ),
  ],
  strategy: {
    defaults: (object) => {
      const { template } = object as PodTemplate;
      if (template?.spec) defaultPodSpec(template.spec);
    },
    validate: (object: KubeObject) => validatePodTemplate((object as PodTemplate).template ?? {}, "template"),
    hasGeneration: true,
    returnDeleted: true,
  },
});
