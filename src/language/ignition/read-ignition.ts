import { at, isObject } from "../object/json.ts";
import { collectErrors, type FieldError } from "../schema/collect-errors.ts";
import { invalid } from "../schema/field-error.ts";
import { child } from "../schema/path.ts";
import type { IgnitionDocument } from "./document.ts";
import { raiseVersion2, type Version2 } from "./raise-version-2.ts";
import { readShape, shortened } from "./read-shape.ts";
import { shape2, shape3 } from "./shape.ts";
import { validateDocument } from "./validate-document.ts";

/** The version that configs are raised to. */
export const newestVersion = "3.5.0";

const versions2 = ["2.0.0", "2.1.0", "2.2.0"];
const versions3 = ["3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", newestVersion];
const supported = "2.0 to 2.2 and 3.0 to 3.5";

export type ReadIgnition =
  | { readonly type: "document"; readonly document: IgnitionDocument }
  | { readonly type: "problems"; readonly problems: readonly FieldError[] };

/** Reads a config of any supported version as one of the newest. `field` is where it is in its object. */
export function readIgnition(config: unknown, field: string): ReadIgnition {
  return collected((problems) => {
    const document = raised(config, field, problems);
    if (document) problems.push(...validateDocument(document, field));
    return document;
  });
}

/** Of a config that another operator may have accepted: known fields of their types, no matter whether a node can use them. */
export function readAccepted(config: unknown, field: string): ReadIgnition {
  return collected((problems) => raised(config, field, problems));
}

function collected(read: (problems: FieldError[]) => IgnitionDocument | undefined): ReadIgnition {
  let document: IgnitionDocument | undefined;
  const problems = collectErrors(() => {
    const found: FieldError[] = [];
    document = read(found);
    return found;
  });
  return document && problems.length === 0 ? { type: "document", document } : { type: "problems", problems };
}

function raised(config: unknown, field: string, problems: FieldError[]): IgnitionDocument | undefined {
  const version = at(config, "ignition", "version");
  const isSecond = versions2.some((known) => known === version);
  if (!isObject(config) || !(isSecond || versions3.some((known) => known === version))) {
    const detail = `Ignition versions ${supported} are supported`;
    problems.push(invalid(child(field, "ignition.version"), shortened(version), detail));
    return undefined;
  }
  const read = readShape(isSecond ? shape2 : shape3, config, field, problems);
  if (problems.length > 0) return undefined;
  if (isSecond) return raiseVersion2(read as Version2, field, problems);
  const document = read as IgnitionDocument;
  return { ...document, ignition: { ...document.ignition, version: newestVersion } };
}
