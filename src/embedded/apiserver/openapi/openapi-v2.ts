const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export interface OpenApiV2 {
  readonly contentType: string;
  readonly body: Buffer;
}

const info = { title: "Kubernetes", version: "unversioned" };

/**
 * `/openapi/v2`, which kubectl asks for when version 3 does not know a kind (a List, a misspelt one): it only has to hear
 * that version 2 does not either. Fields are described in version 3 alone, so this names none.
 */
export function openapiV2(accept = ""): OpenApiV2 {
  // kubectl separates the parts of the type with `.`, other clients with `@`.
  if (accept.includes("openapi.spec.v2")) return { contentType: PROTOBUF, body: asProtobuf() };
  const document = { swagger: "2.0", info, paths: {}, definitions: {} };
  return { contentType: "application/json", body: Buffer.from(JSON.stringify(document)) };
}

/** Document{1: swagger, 2: Info{1: title, 2: version}}. */
function asProtobuf(): Buffer {
  const details = Buffer.concat([field(1, Buffer.from(info.title)), field(2, Buffer.from(info.version))]);
  return Buffer.concat([field(1, Buffer.from("2.0")), field(2, details)]);
}

/** Lengths here are below 128, where one byte says them. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}
