import { at } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { POLICIES } from "../admission/policies/policy-set.ts";
import { expressionWarnings } from "../admission/policies/type-checking.ts";
import type { Services } from "../request/context.ts";
import { patch } from "../request/patch.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { writeInBackground, serverRequest } from "./server-writes.ts";

const MANAGER = "validatingadmissionpolicy-status";
const USER = "system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller";

/** Writes the type-checking warnings of a policy's expressions into its status, once per generation. */
export function reportPolicyStatus(services: Services, log: Log): () => void {
  const { store, reader, registry } = services;
  const report = (name: string): void => {
    const policy = reader.head(POLICIES, name);
    if (policy && !isReported(policy)) writeInBackground(log, () => write(policy, name));
  };
  const stop = store.watch(POLICIES, (changes) => {
    for (const { key, after } of changes) if (after) report(key);
  });
  for (const { key } of store.list(POLICIES)) report(key);
  return stop;

  async function write(policy: KubeObject, name: string): Promise<void> {
    const resource = registry.find("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies") as Resource;
    const warnings = expressionWarnings(policy, registry);
    const status = {
      observedGeneration: policy.metadata.generation,
      typeChecking: warnings.length > 0 ? { expressionWarnings: warnings } : {},
    };
    const body = { apiVersion: policy.apiVersion, kind: policy.kind, metadata: { name }, status };
    const context = serverRequest(services, resource, name, USER);
    const query = new URLSearchParams({ fieldManager: MANAGER, force: "true" });
    try {
      const request = { ...context, subresource: "status", query };
      await patch(request, JSON.stringify(body), "application/apply-patch+yaml");
    } catch (error) {
      // The policy was deleted or changed in the meantime.
      if (!(error instanceof StatusError)) throw error;
      log.debug({ error: error.message, policy: name }, "write status of policy failed");
    }
  }
}

function isReported(policy: KubeObject): boolean {
  const observed = at(policy, "status", "observedGeneration");
  return typeof observed === "number" && observed >= (policy.metadata.generation ?? 0);
}
