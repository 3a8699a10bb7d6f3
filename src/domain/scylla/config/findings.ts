import type { KubeObject } from "../../../language/object/meta.ts";
import { invalid, required } from "../../../language/schema/field-error.ts";
import { type FieldFinding, warning } from "../../finding.ts";
import { type ScyllaNodeConfig, scyllaNodeConfigKind, type ScyllaOperatorConfig } from "../api.ts";
import { defaultName } from "../names.ts";
import { hasWriteBackCache } from "../on-node/write-back-cache.ts";
import { placementFaults } from "./placement-faults.ts";

/** What the author of a ScyllaNodeConfig or a ScyllaOperatorConfig should know, from the object alone. */
export function configFindings(object: KubeObject): FieldFinding[] {
  return object.kind === scyllaNodeConfigKind.kind ? findingsOfNodeConfig(object) : findingsOfOperatorConfig(object);
}

function findingsOfNodeConfig({ spec }: ScyllaNodeConfig): FieldFinding[] {
  return placementFaults(spec?.placement ?? {}).map((fault) => warning("InvalidPlacement", fault));
}

function findingsOfOperatorConfig({ metadata, spec }: ScyllaOperatorConfig): FieldFinding[] {
  const { name } = metadata;
  if (name !== defaultName)
    return [warning("OtherName", invalid("metadata.name", name, `it has no effect: only ${defaultName} is read`))];
  const field = "spec.scyllaUtilsImage";
  const image = spec?.scyllaUtilsImage ?? "";
  if (image === "")
    return [warning("MissingScyllaUtilsImage", required(field, "without it only the engine native tunes nodes"))];
  return hasWriteBackCache(image)
    ? []
    : [
        warning(
          "NoWriteBackCache",
          invalid(
            field,
            image,
            "its tag is no version from 2021.0.0 on, so the write-back cache of disks is left as it is on GKE",
          ),
        ),
      ];
}
