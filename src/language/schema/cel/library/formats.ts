import {
  asPrefix,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from "../../../object/names.ts";
import { hasFormat } from "../../format.ts";
import { charge, sizeCost } from "../frame.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { list, opaque, optional, string } from "../type.ts";
import { none, OpaqueValue, OptionalValue, type Value } from "../value.ts";
import { parseUrl } from "./urls.ts";

const formatType = opaque("kubernetes.NamedFormat");

const prefixOf =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(asPrefix(text));
const known =
  (format: string, fault: string): NameRule =>
  (text) =>
    hasFormat(text, format) ? [] : [fault];

const rules: ReadonlyMap<string, NameRule> = new Map<string, NameRule>([
  ["dns1123Label", dnsLabel],
  ["dns1123Subdomain", dnsSubdomain],
  ["dns1035Label", dns1035Label],
  ["qualifiedName", qualifiedName],
  ["dns1123LabelPrefix", prefixOf(dnsLabel)],
  ["dns1123SubdomainPrefix", prefixOf(dnsSubdomain)],
  ["dns1035LabelPrefix", prefixOf(dns1035Label)],
  ["labelValue", labelValue],
  ["uri", (text) => (parseUrl(text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`])],
  ["uuid", known("uuid", "does not match the UUID format")],
  ["byte", known("byte", "invalid base64")],
  ["date", known("date", "invalid date")],
  ["datetime", known("datetime", "invalid datetime")],
]);

/** `format.dns1123Label().validate('a_b')`: none, or a list of what is wrong. */
export function formats(): Library {
  const library = new LibraryBuilder();
  for (const name of rules.keys()) library.function(`format.${name}`, [], formatType, () => valueOf(name));
  library
    .function("format.named", [string], optional(formatType), ([name]) =>
      rules.has(name as string) ? new OptionalValue(valueOf(name as string)) : none,
    )
    .member("validate", [formatType, string], optional(list(string)), ([format, text], frame) => {
      charge(frame, sizeCost(text!) * 10);
      const reasons = rules.get((format as OpaqueValue).held as string)?.(text as string) ?? [];
      return reasons.length > 0 ? new OptionalValue(reasons) : none;
    });
  return library.build();
}

function valueOf(name: string): Value {
  return new OpaqueValue(formatType.name, name, name);
}
