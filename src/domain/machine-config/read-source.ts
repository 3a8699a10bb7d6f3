import type { IgnitionDocument } from "../../language/ignition/document.ts";
import type { FileDecoder } from "../../language/ignition/file-decoder.ts";
import { readIgnition } from "../../language/ignition/read-ignition.ts";
import { readShape, shortened } from "../../language/ignition/read-shape.ts";
import type { ObjectShape } from "../../language/ignition/shape.ts";
import { collectErrors } from "../../language/schema/collect-errors.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../../language/schema/field-error.ts";
import { refusedPath } from "./own-folders.ts";
import type { KernelType } from "./machine-contents.ts";

/** The spec of a MachineConfig, read. */
export interface Source extends SourceFields {
  /** Absent: the object has no Ignition. */
  readonly document: IgnitionDocument | undefined;
}

export interface SourceFields {
  readonly kernelArguments?: readonly string[];
  readonly kernelType?: KernelType | "";
  readonly extensions?: readonly string[];
  readonly fips?: boolean;
  readonly osImageURL?: string;
  readonly baseOSExtensionsContainerImage?: string;
}

export type ReadSource =
  | { readonly type: "source"; readonly source: Source }
  | { readonly type: "problems"; readonly problems: readonly FieldError[] };

/** Reads a spec, or tells what is wrong with it: each problem with its field, such as `spec.config.storage.files[0].path`. */
export function readSource(spec: object, decoder: FileDecoder): ReadSource {
  const { config } = spec as { config?: unknown };
  let source: Source | undefined;
  const problems = collectErrors(() => {
    const found: FieldError[] = [];
    const fields = readShape(shape, spec, "spec", found) as SourceFields;
    found.push(...validateFields(fields));
    source = { ...fields, document: config === undefined ? undefined : readDocument(config, decoder, found) };
    return found;
  });
  return source && problems.length === 0 ? { type: "source", source } : { type: "problems", problems };
}

const texts = { type: "list", items: { type: "text" }, repeats: true } as const;
const shape: ObjectShape = {
  type: "object",
  fields: {
    kernelArguments: texts,
    kernelType: { type: "text" },
    extensions: texts,
    fips: { type: "flag" },
    osImageURL: { type: "text" },
    baseOSExtensionsContainerImage: { type: "text" },
  },
};

const kernelTypes: readonly KernelType[] = ["default", "realtime", "64k-pages"];

/** Packages that the machine config operator can install on nodes. */
const knownExtensions = [
  "ipsec",
  "kerberos",
  "kernel-devel",
  "sandboxed-containers",
  "sysstat",
  "two-node-ha",
  "usbguard",
] as const;

function validateFields({ kernelType = "", extensions = [], kernelArguments = [] }: SourceFields): FieldError[] {
  const isKnown = ["", ...kernelTypes].includes(kernelType);
  const known: readonly string[] = knownExtensions;
  return [
    ...(isKnown ? [] : [notSupported("spec.kernelType", shortened(kernelType), ["", ...kernelTypes])]),
    ...extensions.flatMap((name, position) =>
      known.includes(name) ? [] : [notSupported(`spec.extensions[${position}]`, shortened(name), known)],
    ),
    ...kernelArguments.flatMap((argument, position) =>
      // The command line is one line of a file of the boot loader.
      /[\0\r\n]/.test(argument.trim())
        ? [invalid(`spec.kernelArguments[${position}]`, shortened(argument), "must be one line")]
        : [],
    ),
  ];
}

function readDocument(config: unknown, decoder: FileDecoder, problems: FieldError[]): IgnitionDocument | undefined {
  const read = readIgnition(config, "spec.config");
  if (read.type === "problems") {
    problems.push(...read.problems);
    return undefined;
  }
  const { document } = read;
  for (const kind of ["directories", "files", "links"] as const)
    document.storage?.[kind]?.forEach(({ path = "" }, position) => {
      const refused = refusedPath(path);
      if (refused !== undefined) problems.push(forbidden(`spec.config.storage.${kind}[${position}].path`, refused));
    });
  document.storage?.files?.forEach(({ contents }, position) => {
    const decoded = contents && decoder.decode(contents);
    if (decoded?.type === "problem")
      problems.push(
        invalid(`spec.config.storage.files[${position}].contents.source`, shortened(contents?.source), decoded.problem),
      );
  });
  return document;
}
