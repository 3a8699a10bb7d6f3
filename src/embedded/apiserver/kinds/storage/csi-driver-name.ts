import { dnsSubdomain } from "../../../../language/object/names.ts";
import { type FieldError, invalid, required, tooLong } from "../../../../language/schema/field-error.ts";

const longest = 63;

export function validateDriverName(driver: string, at: string): FieldError[] {
  if (driver === "") return [required(at)];
  return [
    ...(driver.length > longest ? [tooLong(at, longest)] : []),
    ...dnsSubdomain(driver.toLowerCase()).map((why) => invalid(at, driver, why)),
  ];
}
