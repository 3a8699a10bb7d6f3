import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import { assignment, unitText } from "../../../language/ignition/unit-text.ts";
import { get, type JsonObject, omitUndefined, text } from "../../../language/object/json.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { mergeSettings, type Settings } from "../pool-configs/settings.ts";
import { consistentReservation } from "./consistent-reservation.ts";
import { objectAt } from "./kubelet-checks.ts";
import { kubeletHeader } from "./kubelet-defaults.ts";

export const templatePath = "/etc/kubernetes/kubelet.conf";
/** On plain hosts: what KubeletConfigs set. The agent brings it to the kubelet in the way that this host has. */
export const plainPath = "/etc/attune/kubelet/kubelet.yaml";
const sizingPath = "/etc/node-sizing-enabled.env";
const loggingPath = "/etc/systemd/system/kubelet.service.d/20-logging.conf";

const mode = 0o644;
/** Resources that the node's own script passes to the kubelet, with the amounts for what is not given. */
const sized = [
  ["MEMORY", "memory", "1Gi"],
  ["CPU", "cpu", "500m"],
  ["ES", "ephemeral-storage", "1Gi"],
] as const;

/** What merged KubeletConfigs put on nodes whose pool has templates. `base` is the kubelet's configuration without them. */
export function templateFiles(settings: Settings, base: JsonObject): readonly IgnitionFile[] {
  const own = objectAt(settings, "kubeletConfig");
  const sizing = sizingText(settings);
  const level = get(settings, "logLevel") as number | undefined;
  const merged = mergeSettings(base, sizing === undefined ? own : withoutSized(own));
  return [
    ...(sizing === undefined ? [] : [textFile(sizingPath, mode, sizing)]),
    ...(level === undefined ? [] : [textFile(loggingPath, mode, loggingText(String(level)))]),
    textFile(templatePath, mode, writeYaml(consistentReservation(merged, own))),
  ];
}

/** What merged KubeletConfigs put on hosts that configure their kubelets themselves: the fields that were set, no others. */
export function plainFiles(settings: Settings): readonly IgnitionFile[] {
  const level = get(settings, "logLevel");
  const logging = level === undefined ? {} : { logging: { verbosity: level as number } };
  const fields = mergeSettings(objectAt(settings, "kubeletConfig"), logging);
  return [textFile(plainPath, mode, writeYaml({ ...kubeletHeader, ...fields }))];
}

/** What `plainFiles` cannot put on a host. */
export function ignoredOnPlainHosts(settings: Settings): readonly string[] {
  if (get(settings, "autoSizingReserved") !== true) return [];
  return ["spec.autoSizingReserved: this pool's nodes have no program that computes it; set systemReserved instead"];
}

function sizingText(settings: Settings): string | undefined {
  const automatic = get(settings, "autoSizingReserved");
  const reserved = objectAt(objectAt(settings, "kubeletConfig"), "systemReserved");
  if (automatic === undefined && !sized.some(([, resource]) => Object.hasOwn(reserved, resource))) return undefined;
  const lines = sized.map(
    ([name, resource, otherwise]) => `SYSTEM_RESERVED_${name}=${text(get(reserved, resource)) || otherwise}`,
  );
  return [`NODE_SIZING_ENABLED=${automatic === true}`, ...lines, ""].join("\n");
}

function withoutSized(own: JsonObject): JsonObject {
  const { systemReserved, ...others } = own;
  const left = Object.entries(objectAt({ systemReserved: systemReserved ?? {} }, "systemReserved")).filter(
    ([name]) => !sized.some(([, resource]) => resource === name),
  );
  return omitUndefined({
    ...others,
    systemReserved: left.length > 0 ? Object.fromEntries(left) : undefined,
  });
}

function loggingText(level: string): string {
  return unitText([["Service", [["Environment", `"${assignment("KUBELET_LOG_LEVEL", level)}"`]]]]);
}
