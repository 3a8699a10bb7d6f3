const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export interface OpenApiV2 {
  readonly contentType: string;
  readonly body: Buffer;
}

const info = { title: "Kubernetes", version: "unversioned" };

/**
 * `/openapi/v2`. kubectl requests it when version 3 does not contain a kind (a List, or a misspelt one). It is empty:
 * this server describes kinds only in version 3.
 */
export function openapiV2(accept = ""): OpenApiV2 {
  // kubectl writes the media type with `.`, other clients with `@`.
  if (accept.includes("openapi.spec.v2")) return { contentType: PROTOBUF, body: asProtobuf() };
  const document = { swagger: "2.0", info, paths: {}, definitions: {} };
  return { contentType: "application/json", body: Buffer.from(JSON.stringify(document)) };
}

/** Document{1: swagger, 2: Info{1: title, 2: version}}. */
function asProtobuf(): Buffer {
  const details = Buffer.concat([field(1, Buffer.from(info.title)), field(2, Buffer.from(info.version))]);
  return Buffer.concat([field(1, Buffer.from("2.0")), field(2, details)]);
}

/** All lengths here are below 128, and so fit in one byte. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}
