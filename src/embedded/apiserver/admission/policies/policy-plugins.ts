import type { AdmissionPlugin } from "../admission.ts";
import { paramAccess } from "./param-access.ts";
import { type PolicyDependencies, policyPlugin } from "./policy-plugin.ts";

/** What policies have to say of writes, and who may write policies. */
export function policyPlugins(dependencies: PolicyDependencies): AdmissionPlugin[] {
  const { objects, registry, authorizer } = dependencies;
  return [paramAccess(objects, registry, authorizer), policyPlugin(dependencies)];
}
