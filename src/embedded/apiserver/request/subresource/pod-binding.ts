import type { Binding, Pod, PodCondition } from "kubernetes-types/core/v1.js";
import { clone } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { definitionOf } from "../../kinds/definitions.ts";
import type { ActionContext, Subresource } from "../../resource.ts";
import { badRequest, conflict, notFound, StatusError } from "../../status-error.ts";
import type { Entry } from "../../storage/store.ts";
import { timestamp, type Services } from "../context.ts";
import { draftOf } from "../draft.ts";

type Action = Extract<Subresource, { type: "action" }>;

/** `pods/binding`: a scheduler assigns a pod to a node, once. */
export const podBinding = (services: () => Services): Action => ({
  type: "action",
  group: "",
  version: "v1",
  kind: "Binding",
  verbs: ["create"],
  get schema() {
    return definitionOf("", "v1", "Binding");
  },
  perform: async (body, context) => bind(services(), body, context),
});

async function bind(services: Services, body: KubeObject, context: ActionContext): Promise<KubeObject> {
  const { target } = body as KubeObject & Binding;
  const { namespace, name, dryRun } = context;
  if (body.metadata.name && body.metadata.name !== name)
    throw badRequest("name in URL does not match name in Binding object");
  // kube-apiserver answers these with 500.
  if (target.kind && target.kind !== "Node")
    throw new StatusError(
      500,
      "",
      `target.kind: Unsupported value: "${target.kind}": supported values: "Node", "<empty>"`,
    );
  if (!target.name) throw new StatusError(500, "", "target.name: Required value");

  const resource = services.registry.find("", "v1", "pods");
  const key = `${namespace}/${name}`;
  const live = services.store.head("pods", key);
  if (!resource || !live) throw notFound("", "pods", name);
  const pod = clone(services.views.object(live, resource));
  const refuse = (why: string): StatusError => conflict("", "pods/binding", name, why);
  const { uid, resourceVersion } = body.metadata;
  if (uid && uid !== pod.metadata.uid)
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion)
    throw refuse(
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${pod.metadata.resourceVersion}`,
    );
  const { spec, status = {} } = pod as unknown as Pod & { spec: { nodeName?: string } };
  if (pod.metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${spec.nodeName}"`);
  if ((spec as { schedulingGates?: unknown[] }).schedulingGates?.length)
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);

  spec.nodeName = target.name;
  const { annotations, labels } = body.metadata;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  pod.status = { ...status, conditions: scheduled(status.conditions ?? [], timestamp(services.clock)) };
  if (!dryRun) {
    const { after } = await services.store.put("pods", key, live, draftOf(pod, resource));
    services.views.adopt(after as Entry, resource);
  }
  return succeeded();
}

function scheduled(conditions: readonly PodCondition[], now: string): PodCondition[] {
  const before = conditions.find(({ type }) => type === "PodScheduled");
  const lastTransitionTime = before?.status === "True" ? before.lastTransitionTime : now;
  const condition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime,
  } as unknown as PodCondition;
  return before ? conditions.map((other) => (other === before ? condition : other)) : [...conditions, condition];
}

/** The response to an action that creates no object. */
export function succeeded(): KubeObject {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}
