import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** One file of `test/fixtures/workload-partitioning`. */
export function fixture<Content>(file: string): Content {
  const path = join(import.meta.dirname, "../fixtures/workload-partitioning", `${file}.yaml`);
  return parse(readFileSync(path, "utf8")) as Content;
}
