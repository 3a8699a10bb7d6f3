import { isObject } from "../../../language/object/json.ts";
import type { KindRef } from "../../../language/object/meta.ts";
import { crioDropIns } from "../container-runtime-config/runtime-files.ts";

/** What a change asks of a node. `Special`: registries.conf, where it depends on the change. */
export type PolicyAction =
  | { readonly type: "Reboot" | "Drain" | "DaemonReload" | "None" | "Special" }
  | { readonly type: "Reload" | "Restart"; readonly service: string };

export interface DisruptionPolicy {
  /** A folder's policy counts for everything below it; the longest path wins. */
  readonly files: readonly { readonly path: string; readonly actions: readonly PolicyAction[] }[];
  readonly units: readonly { readonly name: string; readonly actions: readonly PolicyAction[] }[];
  readonly sshKey: readonly PolicyAction[];
}

export const none: PolicyAction = { type: "None" };
export const reboot: PolicyAction = { type: "Reboot" };
const reload = (service: string): PolicyAction => ({ type: "Reload", service });
const restart = (service: string): PolicyAction => ({ type: "Restart", service });
const daemonReload: PolicyAction = { type: "DaemonReload" };

export const registriesPath = "/etc/containers/registries.conf";
const userAuthorities = "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";
const trust = "coreos-update-ca-trust.service";
const registry = "iri-registry.service";

/** As the machine config operator ships it. */
export const defaultPolicy: DisruptionPolicy = {
  files: [
    { path: "/var/lib/kubelet/config.json", actions: [none] },
    { path: "/etc/machine-config-daemon/no-reboot/containers-gpg.pub", actions: [reload("crio.service")] },
    { path: "/etc/containers/policy.json", actions: [reload("crio.service")] },
    { path: registriesPath, actions: [{ type: "Special" }] },
    { path: "/etc/containers/registries.d", actions: [reload("crio.service")] },
    { path: "/etc/crio/policies", actions: [reload("crio.service")] },
    { path: "/etc/nmstate/openshift", actions: [none] },
    { path: userAuthorities, actions: [restart(trust), restart("crio.service")] },
    { path: "/etc/kubernetes/credential-providers", actions: [restart("kubelet.service")] },
    {
      path: "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
      actions: [daemonReload, restart("kubelet.service")],
    },
    { path: "/etc/iri-registry", actions: [restart(registry)] },
    { path: "/usr/local/bin/load-registry-image.sh", actions: [restart(registry)] },
    { path: "/etc/pki/ca-trust/source/anchors/iri-root-ca.crt", actions: [restart(trust)] },
  ],
  units: [{ name: registry, actions: [daemonReload, restart(registry)] }],
  sshKey: [none],
};

const firstBootPaths = new Set([
  "/var/lib/kubelet/config.json",
  "/etc/machine-config-daemon/no-reboot/containers-gpg.pub",
  "/etc/containers/policy.json",
  registriesPath,
  "/etc/containers/registries.d",
  "/etc/nmstate/openshift",
  userAuthorities,
]);

/** Before the first boot the cluster's policy is unknown: an older, shorter table holds. */
export const firstBootPolicy: DisruptionPolicy = {
  files: defaultPolicy.files.filter(({ path }) => firstBootPaths.has(path)),
  units: [],
  sshKey: [none],
};

/** The object `cluster` of this kind has the user's policy. */
export const machineConfigurationKind: KindRef = {
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  plural: "machineconfigurations",
  namespaced: false,
};

/**
 * The policy of a host where CRI-O does not run. OpenShift's names it for every host: there is nothing to reload, and files that
 * only CRI-O reads have no effect.
 */
export function withoutCrio({ files, units, sshKey }: DisruptionPolicy): DisruptionPolicy {
  const here = <T extends { readonly actions: readonly PolicyAction[] }>(entry: T): T => {
    const left = entry.actions.filter((action) => !isForCrio(action));
    return { ...entry, actions: left.length > 0 ? left : [none] };
  };
  const unread = crioDropIns.map((path) => ({ path, actions: [none] }));
  return { files: replaced(files.map(here), unread, ({ path }) => path), units: units.map(here), sshKey };
}

/** That of registries.conf is a reload, after a drain if pods may run with images that they could not pull again. */
function isForCrio(action: PolicyAction): boolean {
  return action.type === "Special" || ("service" in action && action.service === "crio.service");
}

/** Defaults with the user's entries: equal paths and names are replaced in place, others are added at the end. */
export function mergedPolicy(user: Partial<DisruptionPolicy>, defaults = defaultPolicy): DisruptionPolicy {
  return {
    files: replaced(defaults.files, user.files ?? [], ({ path }) => path),
    units: replaced(defaults.units, user.units ?? [], ({ name }) => name),
    sshKey: user.sshKey ?? defaults.sshKey,
  };
}

function replaced<T>(defaults: readonly T[], own: readonly T[], keyOf: (one: T) => string): T[] {
  const byKey = new Map(own.map((one) => [keyOf(one), one]));
  const known = new Set(defaults.map(keyOf));
  return [...defaults.map((one) => byKey.get(keyOf(one)) ?? one), ...own.filter((one) => !known.has(keyOf(one)))];
}

/** The policy of a MachineConfiguration; entries that cannot be read count as Reboot, which is never too little. */
export function userPolicy(object: unknown): Partial<DisruptionPolicy> {
  const spec = field(field(object, "spec"), "nodeDisruptionPolicy");
  const key = field(field(spec, "sshkey"), "actions");
  return {
    files: list(field(spec, "files")).map((entry) => ({
      path: text(field(entry, "path")),
      actions: actionsOf(field(entry, "actions")),
    })),
    units: list(field(spec, "units")).map((entry) => ({
      name: text(field(entry, "name")),
      actions: actionsOf(field(entry, "actions")),
    })),
    ...(key === undefined ? {} : { sshKey: actionsOf(key) }),
  };
}

function actionsOf(value: unknown): PolicyAction[] {
  return list(value).map(actionOf);
}

function actionOf(value: unknown): PolicyAction {
  const type = field(value, "type");
  const service = field(field(value, type === "Reload" ? "reload" : "restart"), "serviceName");
  if ((type === "Reload" || type === "Restart") && typeof service === "string") return { type, service };
  return type === "Drain" || type === "DaemonReload" || type === "None" ? { type } : reboot;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
