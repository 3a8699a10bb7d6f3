import { type FieldError, invalid } from "../../../../language/schema/field-error.ts";
import { contains, parseCidr, parseIp } from "../../../../language/schema/ip.ts";

const ranges = (...texts: string[]) =>
  texts.map((text) => parseCidr(text) as NonNullable<ReturnType<typeof parseCidr>>);

/** Ranges that endpoints must not be in, and the message. */
const excluded = [
  { ranges: ranges("0.0.0.0/32", "::/128"), why: "may not be unspecified (0.0.0.0 or ::)" },
  { ranges: ranges("127.0.0.0/8", "::1/128"), why: "may not be in the loopback range (127.0.0.0/8, ::1/128)" },
  {
    ranges: ranges("169.254.0.0/16", "fe80::/10"),
    why: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    ranges: ranges("224.0.0.0/24", "ff02::/16"),
    why: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

export const noAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** An endpoint must be a routable unicast address. */
export function validateEndpointAddress(text: string, field: string): FieldError[] {
  const ip = parseIp(text);
  if (!ip) return [invalid(field, text, "must be a valid IP address")];
  return excluded
    .filter((group) => group.ranges.some((range) => contains(range, ip)))
    .map(({ why }) => invalid(field, text, why));
}
