import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { Grant } from "../../src/language/object/grant.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

/** What RBAC authorizes a request by. */
export interface RecordedRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The client, with a record of its successful requests. */
export function recording(client: Client, record: (request: RecordedRequest) => void): Client {
  const note = (
    verb: string,
    { apiVersion, plural }: KindRef,
    { namespace, subresource, name, fieldSelector }: Place = {},
  ): void => {
    const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
    const selected = /^metadata\.name=(.+)$/.exec(fieldSelector ?? "")?.[1];
    record({
      verb,
      group,
      resource: subresource === undefined ? plural : `${plural}/${subresource}`,
      // A namespace is authorized as an object in itself.
      namespace: plural === "namespaces" ? name : namespace,
      name: name ?? selected,
    });
  };
  return {
    async get(of, name, options) {
      // An answer that the object does not exist needs the same right.
      const noted = (): void => note("get", of, { ...options, name });
      try {
        const answer = await client.get(of, name, options);
        noted();
        return answer;
      } catch (error) {
        if (isNotFound(error)) noted();
        throw error;
      }
    },
    async list(of, options) {
      const answer = await client.list(of, options);
      note("list", of, options);
      return answer;
    },
    async create(of, object, options) {
      const answer = await client.create(of, object, options);
      note("create", of, options);
      return answer;
    },
    async update(of, object, options) {
      const answer = await client.update(of, object, options);
      note("update", of, { ...options, name: object.metadata.name });
      return answer;
    },
    async patch(of, name, patch, options) {
      const answer = await client.patch(of, name, patch, options);
      note("patch", of, { ...options, name });
      // An apply that creates the object needs that right too.
      if (patch.type === "apply" && isNew(answer)) note("create", of, { ...options, name });
      return answer;
    },
    async delete(of, name, options) {
      await client.delete(of, name, options);
      note("delete", of, { ...options, name });
    },
    async *watch(of, options) {
      let noted = false;
      for await (const event of client.watch(of, options)) {
        if (!noted) note("watch", of, options);
        noted = true;
        yield event;
      }
    },
    raw: (method, path, body, options) => client.raw(method, path, body, options),
  };
}

/** Not all kinds have a generation: then all fields are as old as the object. */
function isNew({ metadata: { generation, creationTimestamp, managedFields = [] } }: KubeObject): boolean {
  if (generation !== undefined) return generation === 1;
  return managedFields.every(({ time }) => time === creationTimestamp);
}

interface Place {
  namespace?: string | undefined;
  subresource?: string | undefined;
  name?: string | undefined;
  fieldSelector?: string | undefined;
}

/**
 * The rights that no request needed, one by one. OpenShift's admission asks for `use` when a pod of the account is created,
 * for finalizers of an owner when an object that blocks its deletion is, and for `bind` when it gives a role to another.
 */
export function unused(grants: readonly Grant[], requests: readonly RecordedRequest[]): string[] {
  const asked = grants.filter(
    ({ verbs, resources }) =>
      !verbs.includes("use") && !verbs.includes("bind") && !resources.some((one) => one.endsWith("/finalizers")),
  );
  return asked.flatMap((grant) =>
    grant.apiGroups.flatMap((group) =>
      grant.resources.flatMap((resource) =>
        grant.verbs
          .filter((verb) => !requests.some((request) => allows(grant, { verb, group, resource }, request)))
          .map((verb) => `${verb} ${resource}.${group} ${grant.resourceNames?.join() ?? ""}`.trim()),
      ),
    ),
  );
}

function allows(
  grant: Grant,
  { verb, group, resource }: Pick<RecordedRequest, "verb" | "group" | "resource">,
  request: RecordedRequest,
): boolean {
  return (
    request.verb === verb &&
    request.group === group &&
    request.resource === resource &&
    // Requests in the operator's own namespace need no right in the whole cluster.
    (grant.within === undefined ? request.namespace !== tuningNamespace : grant.within === request.namespace) &&
    (grant.resourceNames === undefined || grant.resourceNames.includes(request.name ?? ""))
  );
}
