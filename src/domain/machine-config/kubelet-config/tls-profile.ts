import { get, isObject, type JsonObject, text } from "../../../language/object/json.ts";
import { type FieldError, notSupported, typeInvalid } from "../../../language/schema/field-error.ts";
import { child } from "../../../language/schema/path.ts";

const modern = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

const exchanges = ["ECDHE_ECDSA", "ECDHE_RSA"];
const forBoth = (cipher: string): string[] => exchanges.map((exchange) => `TLS_${exchange}_WITH_${cipher}`);

const intermediate = [
  ...modern,
  ...["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"].flatMap(forBoth),
];

const old = [
  ...intermediate,
  ...["AES_128_CBC_SHA256", "AES_128_CBC_SHA", "AES_256_CBC_SHA"].flatMap(forBoth),
  ...["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "AES_128_CBC_SHA256", "AES_128_CBC_SHA", "AES_256_CBC_SHA"].map(
    (cipher) => `TLS_RSA_WITH_${cipher}`,
  ),
  "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
];

/** The ciphers and the lowest version of each named profile. */
const profiles = {
  Old: { tlsMinVersion: "VersionTLS10", tlsCipherSuites: old },
  Intermediate: { tlsMinVersion: "VersionTLS12", tlsCipherSuites: intermediate },
  Modern: { tlsMinVersion: "VersionTLS13", tlsCipherSuites: modern },
};
export const defaultTls = profiles.Intermediate;

const versions = ["VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"];
const types = [...Object.keys(profiles), "Custom"];

export interface TlsFields {
  readonly fields: JsonObject;
  readonly problems: readonly FieldError[];
  readonly ignored: readonly string[];
}

/** Fields of the kubelet that a TLS security profile stands for. */
export function tlsFields(profile: unknown, path: string): TlsFields {
  const nothing = { fields: {}, problems: [], ignored: [] };
  if (profile === undefined || profile === null) return nothing;
  if (!isObject(profile))
    return { ...nothing, problems: [typeInvalid(path, profile, "must be an object with a type")] };
  // Without a type the profile is the default one.
  const type = get(profile, "type") || "Intermediate";
  if (type === "Custom") return customFields(get(profile, "custom"), child(path, "custom"));
  const named = get(profiles, text(type)) as (typeof profiles)["Old"] | undefined;
  if (!named) return { ...nothing, problems: [notSupported(child(path, "type"), type, types)] };
  return { ...nothing, fields: { ...named } };
}

function customFields(custom: unknown, path: string): TlsFields {
  const version = get(custom, "minTLSVersion");
  const ciphers = get(custom, "ciphers");
  const problems: FieldError[] = [];
  if (!versions.includes(String(version))) problems.push(notSupported(child(path, "minTLSVersion"), version, versions));
  const names = Array.isArray(ciphers) ? ciphers : [];
  if (names.length === 0) problems.push(typeInvalid(child(path, "ciphers"), ciphers, "must be a list of ciphers"));
  const known = names.map((name) => ({ name: String(name), suite: suiteOf(String(name)) }));
  const ignored = known.flatMap(({ name, suite }) =>
    suite ? [] : [`${child(path, "ciphers")}: the kubelet does not know ${name}`],
  );
  const tlsCipherSuites = known.flatMap(({ suite }) => (suite ? [suite] : []));
  return {
    problems,
    ignored,
    fields: problems.length > 0 ? {} : { tlsMinVersion: String(version), tlsCipherSuites },
  };
}

/** The name of IANA for a name of OpenSSL, or for itself. */
function suiteOf(name: string): string | undefined {
  if (old.includes(name)) return name;
  return old.find((suite) => opensslName(suite) === name);
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` → `ECDHE-RSA-AES128-GCM-SHA256` */
function opensslName(suite: string): string {
  return suite
    .replace(/^TLS_/, "")
    .replace(/^RSA_WITH_/, "")
    .replace("WITH_", "")
    .replace("3DES_EDE_CBC", "DES_CBC3")
    .replace("CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305")
    .replace(/AES_(\d+)/, "AES$1")
    .replace("_CBC_SHA", "_SHA")
    .replaceAll("_", "-");
}
