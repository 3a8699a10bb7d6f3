import { definitions } from "../kinds/definitions.ts";
import type { Resource } from "../resource.ts";
import { openapiDocument } from "./document.ts";
import { rootDocument } from "./openapi-index.ts";

/** The text of `/openapi/v3/NAME`, where NAME is `api/v1`, `apis/GROUP/VERSION` or one of the roots. */
export function schemaDocument(resources: readonly Resource[], name: string): string | undefined {
  const [root, ...rest] = name.split("/");
  const [group, version] = root === "api" ? ["", rest[0]] : [rest[0], rest[1]];
  const document =
    rest.length === 0 ? rootDocument(name) : openapiDocument(resources, group ?? "", version ?? "", definitions());
  return document && JSON.stringify(document);
}
