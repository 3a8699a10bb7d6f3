import { roleLabel } from "../../machine-config/api.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { PerformanceProfileSpec } from "../api.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import type { Report } from "./read-shape.ts";

type Selectors = Pick<ProfileFacts, "nodeSelector" | "role" | "machineConfigLabels" | "poolSelector">;

export function readSelectors(spec: PerformanceProfileSpec, report: Report): Selectors {
  const { machineConfigLabel, machineConfigPoolSelector } = spec;
  const nodeSelector = spec.nodeSelector ?? {};
  const role = roleOf(Object.keys(nodeSelector));
  if (role === undefined && !machineConfigLabel)
    report(
      "RoleUnknown",
      invalid(
        "spec.nodeSelector",
        nodeSelector,
        "must be one label such as node-role.kubernetes.io/worker-cnf, whose second part names the role; or give machineConfigLabel",
      ),
    );
  return {
    nodeSelector,
    ...(role === undefined ? {} : { role }),
    machineConfigLabels: machineConfigLabel ?? { [roleLabel]: role ?? "" },
    ...(machineConfigPoolSelector ? { poolSelector: machineConfigPoolSelector } : {}),
  };
}

/** `node-role.kubernetes.io/worker-cnf` is the label of the role `worker-cnf`. */
function roleOf(keys: readonly string[]): string | undefined {
  const [key, ...others] = keys;
  if (key === undefined || others.length > 0) return undefined;
  const [domain, role, ...rest] = key.split("/");
  return domain && role && rest.length === 0 ? role : undefined;
}
