import { type FieldError, forbidden, invalid, notSupported } from "../schema/field-error.ts";
import { child } from "../schema/path.ts";
import type { ResourceEntry } from "./document.ts";
import { shortened } from "./read-shape.ts";
import { repeated } from "./repeated.ts";

const schemes = ["arn", "data", "gs", "http", "https", "s3", "tftp"];
const digits: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };

export function validateResource(resource: ResourceEntry, field: string): FieldError[] {
  const { compression = "", httpHeaders = [] } = resource;
  const faults = [...validateSource(resource, field), ...validateHash(resource, field)];
  if (compression !== "" && compression !== "gzip")
    faults.push(notSupported(child(field, "compression"), shortened(compression), ["", "gzip"]));
  faults.push(...repeated(httpHeaders, "name", child(field, "httpHeaders")));
  return faults;
}

/** Whether the data of a data URL can be decoded is said where it is decoded. */
function validateSource({ source }: ResourceEntry, field: string): FieldError[] {
  if (!source) return [];
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(source)?.[0].toLowerCase();
  if (scheme !== undefined && schemes.includes(scheme)) return [];
  const detail = `must be a URL that starts with one of ${schemes.join(":, ")}:`;
  return [invalid(child(field, "source"), shortened(source), detail)];
}

/** `sha512-0123…` */
function validateHash({ source, verification }: ResourceEntry, field: string): FieldError[] {
  const { hash } = verification ?? {};
  if (hash === undefined) return [];
  const at = child(field, "verification.hash");
  if (source === undefined) return [forbidden(at, "there is no source to verify")];
  const [, name = "", sum = ""] = /^([^-]*)-([0-9a-f]*)$/i.exec(hash) ?? [];
  const expected = Object.hasOwn(digits, name) ? digits[name] : undefined;
  if (expected === undefined) return [invalid(at, shortened(hash), "must start with sha256- or sha512-")];
  return sum.length === expected ? [] : [invalid(at, shortened(hash), `must have ${expected} digits after ${name}-`)];
}
