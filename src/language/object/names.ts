import { byteLength } from "./byte-length.ts";

/**
 * Why a name is invalid, in the words of kube-apiserver; empty for a valid name. The regular expressions are only part of the
 * messages: names are checked by scanners that read every character once.
 */
export type NameRule = (name: string) => string[];

const dns1123Label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const messages = {
  subdomain: matching(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    `${dns1123Label}(\\.${dns1123Label})*`,
    "example.com",
  ),
  label: matching(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    dns1123Label,
    "my-name",
    "123-abc",
  ),
  dns1035: matching(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    "my-name",
    "abc-123",
  ),
  namePart: matching(
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    qualifiedPart,
    "MyName",
    "my.name",
    "123-abc",
  ),
  labelKey: `${matching(
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    qualifiedPart,
    "MyName",
    "my.name",
    "123-abc",
  )} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  labelValue: matching(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    `(${qualifiedPart})?`,
    "MyValue",
    "my_value",
    "12345",
  ),
  configMapKey: matching(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    "key.name",
    "KEY_NAME",
    "key-name",
  ),
};

function matching(what: string, expression: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${what} (e.g. ${shown}regex used for validation is '${expression}')`;
}

const atMost = (limit: number): string => `must be no more than ${limit} characters`;

export const dnsSubdomain: NameRule = (name) => {
  const reasons: string[] = [];
  if (byteLength(name) > 253) reasons.push(atMost(253));
  if (!isSubdomain(name)) reasons.push(messages.subdomain);
  return reasons;
};

export const dnsLabel: NameRule = (name) => {
  const reasons: string[] = [];
  if (byteLength(name) > 63) reasons.push(atMost(63));
  if (!isLabel(name, 0, name.length)) reasons.push(isSubdomain(name) ? "must not contain dots" : messages.label);
  return reasons;
};

export const dns1035Label: NameRule = (name) => {
  const reasons: string[] = [];
  if (byteLength(name) > 63) reasons.push(atMost(63));
  if (!isLabel(name, 0, name.length) || isDigit(name.charCodeAt(0))) reasons.push(messages.dns1035);
  return reasons;
};

/** `example.com/name` or `name`: label keys, finalizers, resource names. */
export const qualifiedName: NameRule = (text) => {
  const reasons: string[] = [];
  const slash = text.indexOf("/");
  let name = text;
  if (slash >= 0) {
    if (text.includes("/", slash + 1)) return [messages.labelKey];
    const prefix = text.slice(0, slash);
    name = text.slice(slash + 1);
    if (prefix === "") reasons.push("prefix part must be non-empty");
    else for (const reason of dnsSubdomain(prefix)) reasons.push(`prefix part ${reason}`);
  }
  if (name === "") reasons.push("name part must be non-empty");
  else if (byteLength(name) > 63) reasons.push(`name part ${atMost(63)}`);
  if (!isQualifiedPart(name)) reasons.push(messages.namePart);
  return reasons;
};

/** Unlike in a label, the prefix of an annotation may have upper case. */
export const annotationKey: NameRule = (text) => qualifiedName(text.toLowerCase());

export const labelValue: NameRule = (value) => {
  const reasons: string[] = [];
  if (byteLength(value) > 63) reasons.push(atMost(63));
  if (value !== "" && !isQualifiedPart(value)) reasons.push(messages.labelValue);
  return reasons;
};

export const configMapKey: NameRule = (key) => {
  const reasons: string[] = [];
  if (byteLength(key) > 253) reasons.push(atMost(253));
  if (key === "" || !consistsOf(key, isQualifiedCharacter)) reasons.push(messages.configMapKey);
  if (key === ".") reasons.push("must not be '.'");
  else if (key === "..") reasons.push("must not be '..'");
  else if (key.startsWith("..")) reasons.push("must not start with '..'");
  return reasons;
};

/** The minimum for every name: one segment of a URL path. */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
};

/** A generated name continues after its prefix, so the prefix may end in a dash. */
export function asPrefix(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}

function isSubdomain(name: string): boolean {
  let start = 0;
  for (;;) {
    const dot = name.indexOf(".", start);
    if (dot < 0) return isLabel(name, start, name.length);
    if (!isLabel(name, start, dot)) return false;
    start = dot + 1;
  }
}

function isLabel(name: string, start: number, end: number): boolean {
  if (start >= end) return false;
  for (let i = start; i < end; i++) {
    const code = name.charCodeAt(i);
    if (isLower(code) || isDigit(code)) continue;
    if (code !== 0x2d || i === start || i === end - 1) return false;
  }
  return true;
}

function isQualifiedPart(name: string): boolean {
  return (
    name !== "" &&
    isAlphanumeric(name.charCodeAt(0)) &&
    isAlphanumeric(name.charCodeAt(name.length - 1)) &&
    consistsOf(name, isQualifiedCharacter)
  );
}

function consistsOf(name: string, belongs: (code: number) => boolean): boolean {
  for (let i = 0; i < name.length; i++) if (!belongs(name.charCodeAt(i))) return false;
  return true;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isAlphanumeric = (code: number): boolean => isDigit(code) || isLower(code) || (code >= 0x41 && code <= 0x5a);
const isQualifiedCharacter = (code: number): boolean =>
  isAlphanumeric(code) || code === 0x2d || code === 0x5f || code === 0x2e;
