import { isObject, type Json } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

/** What stands in place of a secret. */
export const redacted = "<redacted>";

/** Names of fields whose text is a secret whatever it looks like. */
const secretFields =
  /^(token|id-?token|refresh-?token|access-?token|bearer-?token|password|passwordhash|passphrase|secret|client-?secret|api-?key|private-?key|client-key-data|sshauthorizedkeys)$/i;

/** In any text: what secrets look like. The group, if there is one, stays. */
const secretTexts: readonly RegExp[] = [
  // JSON web tokens, such as those of ServiceAccounts.
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // Private keys, and the same in base64 as kubeconfigs and Secrets have them.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bLS0tLS1CRUdJTi[\w+/=]*/g,
  /\b((?:bearer|basic)\s+)[\w+/=.~-]{16,}/gi,
  // OpenShift's OAuth tokens, bootstrap tokens, and keys of clouds.
  /\bsha256~[\w-]{20,}/g,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  // Users in addresses.
  /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:"']+:[^\s/@"']+@/gi,
  // Files in MachineConfigs that are text themselves, as in ConfigMaps of NodePools, and what is packed there.
  /(\bdata:[\w/+.;=-]*,)[^\s"'}\]]+/g,
  /[\w+/-]{400,}=*/g,
  /(passwordhash"?\s*:\s*"?)[^\s"',}]+/gi,
  /((?:token|password|passwd|passphrase|secret|api[_-]?key|private[_-]?key)"?\s*[:=]\s*"?)(?!<redacted>|true|false|null)[^\s"',;&<]{4,}/gi,
];

/** A text without what looks like a secret. */
export function redactText(text: string): string {
  let clean = text;
  for (const pattern of secretTexts)
    clean = clean.replaceAll(pattern, (_, kept: unknown) => `${typeof kept === "string" ? kept : ""}${redacted}`);
  return clean;
}

/** An object for people who may read no secret: no data of Secrets, no environment, no contents of files for nodes. */
export function redactObject(object: KubeObject): KubeObject {
  const { metadata = {}, ...fields } = object as unknown as Record<string, Json>;
  const { managedFields: _, annotations = {}, ...names } = isObject(metadata) ? metadata : {};
  const kept = Object.entries(annotations as object).filter(([name]) => !isCopy(name));
  const own = Object.entries(fields).filter(([name]) => object.kind !== "Secret" || !secretData.includes(name));
  const clean = redactValue(Object.fromEntries(own), []) as object;
  const about = kept.length > 0 ? { ...names, annotations: Object.fromEntries(kept) as Json } : names;
  return { ...clean, metadata: redactValue(about, []) } as unknown as KubeObject;
}

const secretData = ["data", "stringData"];

/** Annotations with the whole object as somebody wrote it. */
function isCopy(annotation: string): boolean {
  return annotation.endsWith("/last-applied-configuration");
}

function redactValue(value: Json, path: readonly string[]): Json {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map((one) => redactValue(one, path));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isHidden(name, path) ? hidden(field) : redactValue(field, [...path, name]),
    ]),
  );
}

function isHidden(name: string, path: readonly string[]): boolean {
  if (secretFields.test(name)) return true;
  const parent = path.at(-1);
  // Values of the environment, whose names say enough, and files in a MachineConfig. Its units stay: they are what is debugged.
  return (name === "value" && parent === "env") || (name === "source" && parent === "contents");
}

function hidden(field: Json): Json {
  const { length } = typeof field === "string" ? field : JSON.stringify(field ?? "");
  return length === 0 ? field : `${redacted} (${length} characters)`;
}
