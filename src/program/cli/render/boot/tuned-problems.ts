import type { Tuned } from "../../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../../domain/node-tuning/crds.ts";
import { at } from "../../../../language/object/json.ts";
import type { Schema } from "../../../../language/schema/schema.ts";
import { validateSchema } from "../../../../language/schema/validate.ts";

/** What a cluster would answer, if these came to it and not out of files. */
export function tunedProblems(tuneds: readonly Tuned[]): string[] {
  return tuneds.flatMap((tuned) =>
    validateSchema(tuned, tunedSchema()).map(
      ({ field, message }) => `Tuned ${tuned.metadata.name}: ${field}: ${message}`,
    ),
  );
}

function tunedSchema(): Schema {
  const definition = nodeTuningCrds.find((crd) => at(crd, "spec", "names", "kind") === "Tuned");
  const [version] = at(definition, "spec", "versions") as { schema: { openAPIV3Schema: Schema } }[];
  return version?.schema.openAPIV3Schema ?? {};
}
