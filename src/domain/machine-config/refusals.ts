import { readAccepted } from "../../language/ignition/read-ignition.ts";
import { validateDocument } from "../../language/ignition/validate-document.ts";
import { type FieldError, forbidden } from "../../language/schema/field-error.ts";
import type { MachineConfig } from "./api.ts";
import { about, asSpec, blame, blameLink, type RenderProblem } from "./culprit.ts";
import type { MergedSpec, NamedSource } from "./merge-sources.ts";
import { longestCommandLine, tooLong } from "./machine-contents.ts";
import { refusedChanges } from "./reconcilable.ts";
import type { RenderInput } from "./render-input.ts";

/** Why the merged config cannot be the next one of the pool's nodes. */
export function refusedTogether(
  input: RenderInput,
  merged: MergedSpec,
  sources: readonly NamedSource[],
): RenderProblem[] {
  const { pool, current, storageOverrides } = input;
  const old = current && accepted(current);
  if (old && "problems" in old) return old.problems;
  // A file of one MachineConfig may be below a link of another. Nothing else becomes invalid by merging.
  const belowLinks = merged.document.storage?.links ? validateDocument(merged.document, "spec.config") : [];
  const faults = [...conflicts(input, merged), ...refusedChanges(old, merged, storageOverrides)];
  return [
    ...belowLinks.map((fault) => blameLink(fault, asSpec(merged), sources, pool)),
    ...faults.map((fault) => blame(fault, asSpec(merged), sources, pool)),
  ];
}

/** What MachineConfigs that are valid alone cannot have together. */
export function conflicts(
  { pool, images }: Pick<RenderInput, "pool" | "images">,
  { kernelArguments, kernelType, extensions, osImageURL }: MergedSpec,
): FieldError[] {
  const stream = pool.spec?.osImageStream?.name;
  const { length } = kernelArguments.join(" ");
  return [
    ...(length > longestCommandLine ? [forbidden("spec.kernelArguments", tooLong(length))] : []),
    ...(extensions.includes("kernel-devel") && kernelType !== "default"
      ? [forbidden("spec.extensions", `kernel-devel is not available for the kernel ${kernelType}`)]
      : []),
    ...(stream && osImageURL !== (images?.osImageURL ?? "")
      ? [forbidden("spec.osImageURL", `the pool's spec.osImageStream chooses the operating system ${stream}`)]
      : []),
  ];
}

/** The config that nodes have now, which another operator may have rendered. */
function accepted(current: MachineConfig): { problems: RenderProblem[] } | Parameters<typeof refusedChanges>[1] {
  const { config, fips = false } = current.spec ?? {};
  if (config === undefined) return { fips };
  const read = readAccepted(config, "spec.config");
  if (read.type === "document") return { fips, document: read.document };
  return { problems: read.problems.map((problem) => about(current, problem)) };
}
