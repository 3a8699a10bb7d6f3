import { isObject, type JsonObject, omitUndefined } from "../../../language/object/json.ts";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { type FieldError, forbidden, invalid, typeInvalid } from "../../../language/schema/field-error.ts";
import { child } from "../../../language/schema/path.ts";
import type { KubeletConfig } from "../api.ts";
import { mergeSettings, type Reading } from "../pool-configs/settings.ts";
import {
  clusterWideFields,
  fieldsPath,
  objectAt,
  reservedGroupDiffers,
  staticPodPath,
  type StaticPodPool,
  unusableValues,
  withoutClusterWide,
  zerosWithoutEffect,
} from "./kubelet-checks.ts";
import { readKubeletFields } from "./kubelet-fields.ts";
import { tlsFields } from "./tls-profile.ts";

const mostVerbose = 10;

/** What a KubeletConfig sets on the nodes of its pools, or everything that is wrong with it. */
export function readKubeletConfig({ spec }: KubeletConfig, pools: readonly StaticPodPool[]): Reading {
  const ignored: string[] = [];
  let settings = {};
  const problems = collectErrors(() => {
    const found: FieldError[] = [];
    const given = parsed(spec?.kubeletConfig, found);
    const { fields, unknown, faults } = readKubeletFields(given, fieldsPath);
    ignored.push(...unknown.map((name) => `${child(fieldsPath, name)}: no kubelet has this field`));
    const tls = tlsFields(spec?.tlsSecurityProfile, "spec.tlsSecurityProfile");
    ignored.push(...tls.ignored, ...zerosWithoutEffect(fields));
    found.push(...faults, ...tls.problems, ...wrongKind(fields));
    found.push(...clusterWideFields(fields), ...unusableValues(fields), ...reservedGroupDiffers(fields));
    found.push(...staticPodPath(fields, pools), ...levelOutOfRange(spec?.logLevel));
    const { autoSizingReserved } = spec ?? {};
    if (autoSizingReserved !== undefined && autoSizingReserved !== null && typeof autoSizingReserved !== "boolean")
      found.push(typeInvalid("spec.autoSizingReserved", autoSizingReserved, "must be true or false"));
    if (autoSizingReserved === true && Object.keys(objectAt(fields, "systemReserved")).length > 0)
      found.push(forbidden(child(fieldsPath, "systemReserved"), "spec.autoSizingReserved computes it"));
    const { apiVersion: _, kind: _kind, ...own } = withoutClusterWide(fields);
    settings = omitUndefined({
      logLevel: spec?.logLevel ?? undefined,
      autoSizingReserved: autoSizingReserved ?? undefined,
      kubeletConfig: mergeSettings(tls.fields, own),
    });
    return found;
  });
  return { settings, problems, ignored };
}

/** A kubelet rejects fields that it does not know. */
export function unknownFields({ spec }: KubeletConfig): FieldError[] {
  const { unknown } = readKubeletFields(parsed(spec?.kubeletConfig, []), fieldsPath);
  return unknown.map((name) => forbidden(child(fieldsPath, name), "unknown field"));
}

/** An object, or the YAML text of one. */
function parsed(given: unknown, found: FieldError[]): JsonObject {
  let value = given ?? {};
  if (typeof value === "string")
    try {
      value = readYaml(value) ?? {};
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      found.push(invalid(fieldsPath, given, error.message));
      return {};
    }
  if (isObject(value)) return value;
  found.push(typeInvalid(fieldsPath, given, "must be a KubeletConfiguration"));
  return {};
}

function wrongKind({ apiVersion, kind }: JsonObject): readonly FieldError[] {
  const expected = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };
  return Object.entries({ apiVersion, kind }).flatMap(([name, value]) => {
    const wanted = expected[name as keyof typeof expected];
    return value === undefined || value === wanted
      ? []
      : [invalid(child(fieldsPath, name), value, `must be ${wanted}`)];
  });
}

function levelOutOfRange(level: unknown): readonly FieldError[] {
  if (level === undefined || level === null) return [];
  if (Number.isInteger(level) && Number(level) >= 0 && Number(level) <= mostVerbose) return [];
  return [invalid("spec.logLevel", level, `must be a whole number from 0 to ${mostVerbose}`)];
}
