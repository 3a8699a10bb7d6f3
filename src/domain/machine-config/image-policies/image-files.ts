import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { registriesPath } from "../cost/disruption-policy.ts";
import type { RenderProblem } from "../culprit.ts";
import { contentSourcePolicy, digestMirrorSet } from "./api.ts";
import { isOf, mirroredSources, type Mirrors } from "./mirrored-sources.ts";
import { registriesText } from "./registries-text.ts";
import { policyPath, signatureFiles } from "./signature-files.ts";

export interface ImageFiles {
  readonly files: readonly IgnitionFile[];
  readonly problems: readonly RenderProblem[];
}

/** What policies of images put on nodes with CRI-O. `textOf`: the text that MachineConfigs give a file. */
export function imageFiles(objects: readonly KubeObject[], textOf: (path: string) => string | undefined): ImageFiles {
  const { mirrors, problems } = mirroredSources(objects);
  const registries = registriesFile(objects, mirrors, textOf(registriesPath) ?? "");
  const signatures = signatureFiles(objects, { mirrors, present: textOf(policyPath) });
  return {
    files: [...registries.files, ...signatures.files],
    problems: [...problems, ...registries.problems, ...signatures.problems],
  };
}

function registriesFile(objects: readonly KubeObject[], mirrors: readonly Mirrors[], present: string): ImageFiles {
  const set = objects.find((one) => isOf(one, digestMirrorSet) || isOf(one, contentSourcePolicy));
  if (!set || mirrors.length === 0) return { files: [], problems: [] };
  const read = registriesText(present, mirrors);
  if (read.type === "text") return { files: [textFile(registriesPath, 0o644, read.text)], problems: [] };
  const { apiVersion, kind, metadata } = set;
  const object = { apiVersion, kind, name: metadata.name ?? "" };
  const message = `mirrors cannot be added to the ${registriesPath} of a MachineConfig: ${read.message}`;
  return { files: [], problems: [{ object, field: "spec", message }] };
}
