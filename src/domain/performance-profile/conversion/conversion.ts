import { isObject } from "../../../language/object/json.ts";
import { type KubeObject, parseApiVersion } from "../../../language/object/meta.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { group } from "../api.ts";
import { conversionData, withConversionData } from "./conversion-data.ts";
import { divide, reunite } from "./divide-fields.ts";
import { schemas, type Version } from "../schemas.ts";

type Spec = Record<string, unknown>;
type Older = Exclude<Version, "v2">;

/** If unset, v1 and v1alpha1 ban interrupts from isolated CPUs, and v2 does not. */
const irq = "globallyDisableIrqLoadBalancing";

/**
 * A profile in another version. Converting it back loses nothing: fields that a version does not have are kept in an
 * annotation, and restored unless the object that held them is gone. Fields that a version has come from its spec alone.
 */
export function convertProfile(object: KubeObject, apiVersion: string): KubeObject {
  const [from, to] = [versionOf(object.apiVersion), versionOf(apiVersion)];
  if (from === to) return object;
  const hub = from === "v2" ? object : toV2(object, from);
  return to === "v2" ? hub : fromV2(hub, to);
}

function toV2(object: KubeObject, from: Older): KubeObject {
  const { spec } = object;
  if (!isObject(spec)) return as("v2", object, { v1: {}, v2: {} });
  const { v1, v2 } = conversionData(object.metadata);
  const converted = reunite(spec, v2, { version: specOf(from), whole: specOf("v2") });
  const wasUnset = v2[irq] === null && Object.hasOwn(v2, irq);
  const isUnset = (converted[irq] ?? null) === null;
  if (from === "v1" && wasUnset && converted[irq] === false) delete converted[irq];
  else if (isUnset && !(from === "v1alpha1" && wasUnset)) converted[irq] = true;
  const v1IsUnset = from === "v1" ? isUnset : isMarked(v1);
  return as("v2", { ...object, spec: converted }, { v1: marked(v1IsUnset && converted[irq] === true), v2: {} });
}

function fromV2(object: KubeObject, to: Older): KubeObject {
  const { spec } = object;
  if (!isObject(spec)) return as(to, object, { v1: {}, v2: {} });
  const { supported, unsupported } = divide(spec, specOf(to));
  const { v1 } = conversionData(object.metadata);
  const v1IsUnset = isMarked(v1) && spec[irq] === true;
  if (spec[irq] === undefined) unsupported[irq] = null;
  else if (spec[irq] === true) delete unsupported[irq];
  if (to === "v1") {
    if (spec[irq] === undefined) supported[irq] = false;
    else if (v1IsUnset) delete supported[irq];
  }
  return as(to, { ...object, spec: supported }, { v1: marked(v1IsUnset && to !== "v1"), v2: unsupported });
}

/** Whether the field was unset in v1, where v2 needs `true` for the same meaning. */
function isMarked(v1: Readonly<Spec>): boolean {
  return Object.hasOwn(v1, irq) && v1[irq] === null;
}

function marked(isUnset: boolean): Spec {
  return isUnset ? { [irq]: null } : {};
}

function as(version: Version, object: KubeObject, data: { v1: Spec; v2: Spec }): KubeObject {
  return { ...object, apiVersion: `${group}/${version}`, metadata: withConversionData(object.metadata, data) };
}

function specOf(version: Version): Schema {
  return schemas[version].properties?.["spec"] ?? {};
}

function versionOf(apiVersion: string): Version {
  const { group: found, version } = parseApiVersion(apiVersion);
  if (found === group && Object.hasOwn(schemas, version)) return version as Version;
  throw new Error(`${apiVersion} is not a version of PerformanceProfile`);
}
