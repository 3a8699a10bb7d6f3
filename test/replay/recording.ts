import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { WireRequest } from "./wire.ts";

export interface Exchange {
  readonly id: string;
  readonly request: WireRequest;
  readonly response: {
    readonly status: number;
    readonly contentType: string;
    readonly warning?: string;
    readonly body: unknown;
  };
}

/** In the order of the recording, which was made on one new server. */
export const chapters = [
  "discovery",
  "authentication-and-authorization",
  "create-read-update-delete",
  "patch",
  "server-side-apply",
  "list-selectors-paging-tables",
  "watch",
  "custom-resources",
  "other-kinds",
] as const;

export type Chapter = (typeof chapters)[number];

export function recorded(chapter: Chapter): Exchange[] {
  const text = readFileSync(new URL(`../fixtures/apiserver/${chapter}.yaml`, import.meta.url), "utf8");
  return (parse(text, { version: "1.1" }) as { cases: Exchange[] }).cases;
}
