import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { RecordedEnvironment } from "./recorded-node.ts";

/** One recorded case; which fields it has depends on its kind. */
export interface RecordedCase {
  id: string;
  kind: string;
  input: {
    dirs?: { path: string; profiles: Record<string, string> }[];
    load?: string[] | string[][];
    files?: Record<string, string>;
    env?: RecordedEnvironment;
    variables?: [string, string][];
    expand?: string[];
    expr?: string;
    sort_result?: boolean;
    method?: string;
    args?: unknown[];
    rules?: string;
    devices?: string[];
    options?: [string, string][];
    conf?: string;
    root?: boolean;
    tree?: boolean;
    chassis?: string;
    get?: [string, string, number?][];
  };
  expect: Expected;
}

export interface Expected {
  exception?: { class: string };
  result?: unknown;
  name?: string;
  main?: Record<string, string>;
  units?: Record<string, unknown>[];
  variables_env?: [string, string][];
  expanded_options?: Record<string, [string, string | string[]][]>;
  logs?: [string, string, string][];
  cmdline?: string | null;
  others?: Record<string, string>;
  file?: string;
  profile?: string;
  merge_order?: string[];
  variables?: [string, string][];
}

/** What `@TMP@` stands for. */
export const folder = "/tmp/case";

export function recorded(name: string): RecordedCase[] {
  const text = readFileSync(new URL(`../fixtures/tuned/${name}.yaml`, import.meta.url), "utf8");
  return parse(text.replaceAll("@TMP@", folder)) as RecordedCase[];
}
