import { invalid, required } from "../../../language/schema/field-error.ts";
import { child, index } from "../../../language/schema/path.ts";
import type { PerformanceProfileSpec } from "../api.ts";
import type { HugePages, ProfileFacts } from "../profile-facts.ts";
import type { Report } from "./read-shape.ts";

const field = "spec.hugepages";

export function readHugepages(
  { defaultHugepagesSize, pages }: NonNullable<PerformanceProfileSpec["hugepages"]>,
  report: Report,
): ProfileFacts["hugepages"] {
  const read = (pages ?? []).flatMap(({ size, count = 0, node }, position): HugePages[] => {
    const at = index(child(field, "pages"), position);
    if (count < 0) report("HugepagesNegative", invalid(child(at, "count"), count, "must not be negative"));
    if (node !== undefined && node < 0)
      report("HugepagesNegative", invalid(child(at, "node"), node, "must not be negative"));
    const sizeKiB = readSize(child(at, "size"), size, report);
    if (size === undefined || sizeKiB === undefined) return [];
    return [{ size, sizeKiB, count, ...(node === undefined ? {} : { node }) }];
  });
  if (defaultHugepagesSize !== undefined) readSize(child(field, "defaultHugepagesSize"), defaultHugepagesSize, report);
  else if (pages && pages.length > 0)
    report(
      "HugepagesDefaultMissing",
      required(child(field, "defaultHugepagesSize"), "the kernel needs a default size when pages are allocated"),
    );
  return { ...(defaultHugepagesSize === undefined ? {} : { defaultSize: defaultHugepagesSize }), pages: read };
}

const kib = { k: 1, m: 1024, g: 1024 * 1024 } as const;

function readSize(at: string, size: string | undefined, report: Report): number | undefined {
  if (size === undefined) {
    report("FieldMissing", required(at));
    return undefined;
  }
  const match = /^([1-9][0-9]{0,5})([kmg])$/i.exec(size);
  if (match) return Number(match[1]) * kib[match[2]?.toLowerCase() as keyof typeof kib];
  report("HugepageSizeMalformed", invalid(at, size, "write a size such as 2M or 1G"));
  return undefined;
}
