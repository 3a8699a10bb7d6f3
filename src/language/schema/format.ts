import { dnsLabel, dnsSubdomain } from "../object/names.ts";
import { isTime } from "../object/time.ts";
import { parseCidr, parseIp } from "./ip.ts";

/** Longer texts have none of these formats; this bounds the time of the regular expressions below. */
const longest = 10_000;

const uuid = (version: string, variant = "[0-9a-f]"): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");

const matches =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text);

/** The formats that a custom resource's schema can name; unknown formats accept any text. Keys are without dashes. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ["datetime", isTime],
  ["date", (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isTime(`${text}T00:00:00Z`)],
  ["duration", isDuration],
  ["byte", isBase64],
  ["uuid", matches(uuid("[0-9a-f]"))],
  ["uuid3", matches(uuid("3"))],
  ["uuid4", matches(uuid("4", "[89ab]"))],
  ["uuid5", matches(uuid("5", "[89ab]"))],
  ["ipv4", (text) => parseIp(text)?.version === 4],
  ["ipv6", (text) => text.includes(":") && parseIp(text) !== undefined],
  ["cidr", (text) => parseCidr(text) !== undefined],
  [
    "mac",
    matches(
      /^([0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\2[0-9a-f]{2}){4}(?:\2[0-9a-f]{2}){0,14})|[0-9a-f]{4}(\.[0-9a-f]{4}){2,9})$/i,
    ),
  ],
  // oxlint-disable-next-line no-control-regex -- a URI contains no control characters
  ["uri", matches(/^(?:\/|[a-z][a-z0-9+.-]*:)[^\u0000-\u0020\u007f]*$/i)],
  ["email", matches(/^(?:[^<>@]{0,200}<[^<>@\s]{1,64}@[^<>@\s]{1,255}>|[^<>@\s]{1,64}@[^<>@\s]{1,255})$/)],
  ["hostname", isHostname],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", isRgbColor],
  ["bsonobjectid", matches(/^[0-9a-f]{24}$/i)],
  ["k8sshortname", (text) => dnsLabel(text).length === 0],
  ["k8slongname", (text) => dnsSubdomain(text).length === 0],
]);

export function hasFormat(text: string, format: string): boolean {
  const check = formats.get(format.replaceAll("-", ""));
  return check === undefined || (text.length <= longest && check(text));
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Go's durations, and the looser `5 days` that kube-openapi also accepts. */
function isDuration(text: string): boolean {
  return (
    /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text) ||
    /^\s*\d+\s*(?:nanoseconds?|microseconds?|milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|ns|us|ms|[smhdw])\s*$/i.test(
      text,
    )
  );
}

function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const labels = text.split(".");
  const last = labels.pop() ?? "";
  if (labels.length === 0) return /^[a-z0-9\p{S}\p{L}](?:-?[a-z0-9\p{S}\p{L}]{0,62})$/iu.test(last);
  return (
    /^[a-z\p{L}]{2,63}$/iu.test(last) &&
    labels.every((label) => /^[a-z0-9\p{S}\p{L}](?:[a-z0-9\p{S}\p{L}-]{0,61}[a-z0-9\p{S}\p{L}])?$/iu.test(label))
  );
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text.slice(0, 100));
  return parts !== null && parts.slice(1).every((part) => Number(part) <= 255);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === "X" ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
