import { duplicate, type FieldError, notSupported } from "../../../language/schema/field-error.ts";
import { child } from "../../../language/schema/path.ts";
import type { Check } from "./check.ts";
import type { Judged } from "./judged.ts";

export const hugepageSizeUnsupported: Check = {
  name: "HugepageSizeUnsupported",
  severity: "error",
  faults: (judged) => {
    const supported = supportedSizes(judged);
    const fault = (field: string, size: string): FieldError[] =>
      supported.includes(size) ? [] : [notSupported(field, size, supported)];
    const standard = judged.spec.hugepages?.defaultHugepagesSize;
    return [
      ...(standard === undefined ? [] : fault("spec.hugepages.defaultHugepagesSize", standard)),
      ...judged.pages.flatMap(({ field, size }) => fault(child(field, "size"), size)),
    ];
  },
};

/** Sizes that the processor supports; on arm64 they depend on the size of ordinary pages. */
const sizes = {
  amd64: ["2M", "1G"],
  "arm64/4k": ["64k", "2M", "32M", "1G"],
  "arm64/64k": ["2M", "512M", "16G"],
  any: ["64k", "2M", "32M", "512M", "1G", "16G"],
} as const;

function supportedSizes({ architecture, spec }: Judged): readonly string[] {
  if (architecture === "amd64") return sizes.amd64;
  if (architecture === "arm64") return spec.kernelPageSize === "64k" ? sizes["arm64/64k"] : sizes["arm64/4k"];
  return sizes.any;
}

export const hugepagesRepeated: Check = {
  name: "HugepagesRepeated",
  severity: "error",
  faults: ({ pages }) => {
    const seen = new Set<string>();
    return pages.flatMap(({ field, size, node }) => {
      const what = node === undefined ? size : `${size} on NUMA node ${node}`;
      if (seen.has(what)) return [duplicate(field, what)];
      seen.add(what);
      return [];
    });
  },
};
