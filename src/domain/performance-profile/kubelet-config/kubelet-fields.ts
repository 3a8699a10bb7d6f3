import type { JsonObject } from "../../../language/object/json.ts";
import { key } from "../../../language/schema/path.ts";
import {
  type KubeletFields,
  readKubeletFields as readFields,
} from "../../machine-config/kubelet-config/kubelet-fields.ts";
import { annotations } from "../api.ts";

/** The annotation that holds fields for the kubelet. */
export const kubeletFieldsPath = key("metadata.annotations", annotations.experimentalKubelet);

export function readKubeletFields(given: JsonObject): KubeletFields {
  return readFields(given, kubeletFieldsPath);
}
