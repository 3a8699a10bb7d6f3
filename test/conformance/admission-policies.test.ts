import { request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { NAMESPACE, onEachServer, type Cluster } from "./on-each-server.ts";
import { rows } from "./printed-table.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly code: number;
  readonly body: Fields & { readonly message?: string };
  readonly warnings: readonly string[];
}

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

function call(cluster: Cluster, method: string, path: string, body?: Fields): Promise<Answer> {
  return callAs({ cluster, token: cluster.server.authority.adminToken }, method, path, body);
}

interface Sender {
  readonly cluster: Cluster;
  readonly token: string | undefined;
}

function callAs({ cluster, token }: Sender, method: string, path: string, body?: Fields): Promise<Answer> {
  const { server } = cluster;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(path, server.url),
      {
        method,
        ca: server.authority.caPem,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({
            code: response.statusCode ?? 0,
            body: JSON.parse(text) as Answer["body"],
            warnings: [...(response.headers.warning ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
              ([, warning = ""]) => warning,
            ),
          }),
        );
      },
    );
    request.on("error", reject);
    request.end(body && JSON.stringify(body));
  });
}

async function make(cluster: Cluster, path: string, body: Fields): Promise<Fields> {
  const { code, body: answer } = await call(cluster, "POST", path, body);
  expect({ path, code, message: answer.message }).toEqual({ path, code: 201, message: undefined });
  return answer;
}

/** A policy applies some time after its creation: retries until an objection names it. */
async function heard(cluster: Cluster, policy: string, labels: Fields): Promise<void> {
  const sentinel = { metadata: { name: "sentinel", labels } };
  for (const deadline = Date.now() + 60_000; ;) {
    const { body, warnings } = await call(cluster, "POST", `${CONFIG_MAPS}?dryRun=All`, sentinel);
    if ([body.message ?? "", ...warnings].some((text) => text.includes(`'${policy}'`))) return;
    if (Date.now() > deadline) throw new Error(`${policy} is never heard`);
    await delay(50);
  }
}

const writes = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE", "DELETE"],
  resources: ["configmaps"],
};
const notTheSentinel = { expression: "object == null || object.metadata.name != 'sentinel'", message: "heard" };

interface Case {
  readonly policy: Fields & { readonly validations?: readonly Fields[] };
  readonly binding?: Fields;
  /** What follows `ValidatingAdmissionPolicy 'NAME' with binding 'NAME' denied request: `. */
  readonly denied?: string;
  readonly code?: number;
  readonly warnings?: readonly string[];
}

const cases: Record<string, Case> = {
  plain: {
    policy: { validations: [{ expression: "object.data.x == '2'" }] },
    denied: "failed expression: object.data.x == '2'",
  },
  message: { policy: { validations: [{ expression: "false", message: " no way " }] }, denied: "no way" },
  "message-expression": {
    policy: {
      validations: [{ expression: "false", message: "m", messageExpression: "'x is ' + string(object.data.x)" }],
    },
    denied: "x is 1",
  },
  "message-at-fault": {
    policy: { validations: [{ expression: "false", message: "m", messageExpression: "string(object.data.nope)" }] },
    denied: "m",
  },
  "message-of-two-lines": {
    policy: { validations: [{ expression: "false", messageExpression: "'a\\nb'" }] },
    denied: "failed expression: false",
  },
  "reason-forbidden": {
    policy: { validations: [{ expression: "false", reason: "Forbidden" }] },
    denied: "failed expression: false",
    code: 403,
  },
  "reason-too-large": {
    policy: { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] },
    denied: "failed expression: false",
    code: 413,
  },
  fault: {
    policy: { validations: [{ expression: "object.spec.x == 1" }] },
    denied: "expression 'object.spec.x == 1' resulted in error: no such key: spec",
  },
  "fault-of-type": {
    policy: { validations: [{ expression: "object.data.x + 1 == 2" }] },
    denied: "expression 'object.data.x + 1 == 2' resulted in error: no such overload",
  },
  "fault-ignored": { policy: { failurePolicy: "Ignore", validations: [{ expression: "object.spec.x == 1" }] } },
  variables: {
    policy: {
      variables: [
        { name: "x", expression: "object.data.x" },
        { name: "twice", expression: "string(variables.x) + string(variables.x)" },
        { name: "constructor", expression: "[variables.twice]" },
      ],
      validations: [{ expression: "variables.constructor == ['22']", messageExpression: "variables.twice" }],
    },
    denied: "11",
  },
  "variable-at-fault": {
    policy: {
      variables: [{ name: "a", expression: "object.nope" }],
      validations: [{ expression: "variables.a == 1" }],
    },
    denied: `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nope`,
  },
  "condition-unmet": {
    policy: {
      matchConditions: [{ name: "c", expression: "object.metadata.name == 'sentinel'" }],
      validations: [{ expression: "false" }],
    },
  },
  "condition-at-fault": {
    policy: {
      matchConditions: [{ name: "c", expression: "object.metadata.name == 'sentinel' || object.nope == 1" }],
      validations: [{ expression: "true" }],
    },
    denied: "expression 'object.metadata.name == 'sentinel' || object.nope == 1' resulted in error: no such key: nope",
  },
  request: {
    policy: {
      validations: [
        {
          expression:
            "request.operation == 'CREATE' && request.name == 'thing' && request.namespace == 'work' && request.kind == request.requestKind && request.resource.resource == 'configmaps' && request.dryRun && !has(request.subResource) && has(request.options) && request.options.kind == 'CreateOptions' && 'system:masters' in request.userInfo.groups",
        },
        { expression: "namespaceObject.metadata.name == 'work' && namespaceObject.status.phase == 'Active'" },
        { expression: "oldObject == null && object != null" },
        { expression: "authorizer.group('').resource('configmaps').namespace('work').check('create').allowed()" },
        {
          expression:
            "!authorizer.serviceAccount('work', 'nobody').group('').resource('secrets').check('get').allowed()",
        },
        {
          expression:
            "authorizer.requestResource.check('create').allowed() && !authorizer.requestResource.check('get').errored()",
        },
        { expression: "false", message: "all else holds" },
      ],
    },
    denied: "all else holds",
  },
  warn: {
    policy: { validations: [{ expression: "false", message: "beware" }] },
    binding: { validationActions: ["Warn", "Audit"] },
    warnings: ["Validation failed for ValidatingAdmissionPolicy 'warn' with binding 'warn': beware"],
  },
  "param-named": {
    policy: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [
        { expression: "object.data.x == params.data.x", messageExpression: "params.kind + ' wants ' + params.data.x" },
      ],
    },
    binding: { paramRef: { name: "param-a", parameterNotFoundAction: "Deny" } },
    denied: "ConfigMap wants 3",
  },
  "param-selected": {
    policy: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.data.x == params.data.x", message: "differs" }],
    },
    binding: { paramRef: { selector: { matchLabels: { param: "yes" } }, parameterNotFoundAction: "Deny" } },
    denied: "differs",
  },
  "param-missing": {
    policy: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
    binding: { paramRef: { name: "nope", parameterNotFoundAction: "Deny" } },
    denied: "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  },
  "param-with-namespace": {
    policy: { paramKind: { apiVersion: "v1", kind: "Node" } },
    binding: { paramRef: { name: "n", namespace: "work", parameterNotFoundAction: "Deny" } },
    denied: "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
  },
  "param-not-used": {
    policy: { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{ expression: "params == null" }] },
  },
};

onEachServer("admission policies", (cluster) => {
  beforeAll(async () => {
    const labels = { param: "yes" };
    await make(cluster, CONFIG_MAPS, { metadata: { name: "param-a", labels }, data: { x: "3" } });
    await make(cluster, CONFIG_MAPS, { metadata: { name: "param-b", labels }, data: { x: "1" } });
    await Promise.all(
      Object.entries(cases).map(async ([name, { policy, binding = {} }]) => {
        const objectSelector = { matchLabels: { case: name } };
        await make(cluster, `${GROUP}/validatingadmissionpolicies`, {
          metadata: { name },
          spec: {
            matchConstraints: { resourceRules: [writes], objectSelector },
            ...policy,
            validations: [notTheSentinel, ...(policy.validations ?? [])],
          },
        });
        await make(cluster, `${GROUP}/validatingadmissionpolicybindings`, {
          metadata: { name },
          spec: { policyName: name, validationActions: ["Deny"], ...binding },
        });
      }),
    );
    for (const name of Object.keys(cases)) await heard(cluster, name, { case: name });
  });

  it.each(Object.entries(cases))("%s", async (name, { denied, code = 422, warnings = [] }) => {
    const thing = { metadata: { name: "thing", labels: { case: name } }, data: { x: "1" } };
    const answer = await call(cluster, "POST", `${CONFIG_MAPS}?dryRun=All`, thing);
    if (denied === undefined) {
      expect({ code: answer.code, message: answer.body.message }).toEqual({ code: 201, message: undefined });
    } else {
      const message = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${denied}`;
      expect(answer.body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `configmaps "thing" is forbidden: ${message}`,
        reason: { 403: "Forbidden", 413: "RequestEntityTooLarge" }[code] ?? "Invalid",
        details: { name: "thing", kind: "configmaps", causes: [{ message }] },
        code,
      });
    }
    expect(answer.warnings).toEqual(warnings);
  });

  it("evaluate updates and deletions with the old object", async () => {
    const labels = { case: "history" };
    await make(cluster, `${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: "history" },
      spec: {
        matchConstraints: { resourceRules: [writes], objectSelector: { matchLabels: labels } },
        validations: [
          notTheSentinel,
          {
            expression: "oldObject == null || object == null || object.data.x != oldObject.data.x",
            message: "no change",
          },
          { expression: "object != null || oldObject.data.x != '1'", message: "kept" },
        ],
      },
    });
    await make(cluster, `${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: "history" },
      spec: { policyName: "history", validationActions: ["Deny"] },
    });
    await heard(cluster, "history", labels);
    const one = `${CONFIG_MAPS}/history`;
    await make(cluster, CONFIG_MAPS, { metadata: { name: "history", labels }, data: { x: "1" } });
    // An object cannot evade a policy by losing the label that the policy selects.
    const unlabelled = await call(cluster, "PATCH", one, { metadata: { labels: null } });
    expect(unlabelled.body.message).toMatch(/denied request: no change$/);
    expect((await call(cluster, "DELETE", one)).body.message).toMatch(/denied request: kept$/);
    expect((await call(cluster, "PATCH", one, { data: { x: "2" } })).code).toBe(200);
    expect((await call(cluster, "DELETE", one)).code).toBe(200);
  });

  it("never apply to policies, but to webhook configurations", async () => {
    const labels = { case: "everything" };
    const everything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
    await make(cluster, `${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: "everything" },
      spec: {
        matchConstraints: { resourceRules: [everything], objectSelector: { matchLabels: labels } },
        validations: [{ expression: "false", message: "nothing" }],
      },
    });
    const binding = {
      metadata: { name: "everything", labels },
      spec: { policyName: "everything", validationActions: ["Deny"] },
    };
    await make(cluster, `${GROUP}/validatingadmissionpolicybindings`, binding);
    await heard(cluster, "everything", labels);
    await make(cluster, `${GROUP}/validatingadmissionpolicybindings?dryRun=All`, {
      ...binding,
      metadata: { name: "more", labels },
    });
    const webhooks = await call(cluster, "POST", `${GROUP}/validatingwebhookconfigurations`, {
      metadata: { name: "w", labels },
    });
    expect(webhooks.body.message).toBe(
      `validatingwebhookconfigurations.admissionregistration.k8s.io "w" is forbidden: ValidatingAdmissionPolicy 'everything' with binding 'everything' denied request: nothing`,
    );
    expect((await call(cluster, "DELETE", `${GROUP}/validatingadmissionpolicybindings/everything`)).code).toBe(200);
  });

  describe("for agents on nodes", () => {
    const tokens = new Map<string, string>();

    beforeAll(async () => {
      await make(cluster, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: "agent" } });
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "update", "patch", "delete"] }];
      await make(cluster, `${rbac}/namespaces/${NAMESPACE}/roles`, { metadata: { name: "agent" }, rules });
      await make(cluster, `${rbac}/namespaces/${NAMESPACE}/rolebindings`, {
        metadata: { name: "agent" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "agent" },
        subjects: [{ kind: "ServiceAccount", name: "agent", namespace: NAMESPACE }],
      });
      for (const node of ["node-a", "node-b"]) {
        await make(cluster, "/api/v1/nodes", { metadata: { name: node } });
        const pod = await make(cluster, `/api/v1/namespaces/${NAMESPACE}/pods`, {
          metadata: { name: `agent-on-${node}` },
          spec: { nodeName: node, serviceAccountName: "agent", containers: [{ name: "c", image: "i" }] },
        });
        const { uid } = pod.metadata as { uid: string };
        await tokenFor(node, { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: `agent-on-${node}`, uid } });
      }
      await tokenFor("nowhere", {});
      const node = "authentication.kubernetes.io/node-name";
      await make(cluster, `${GROUP}/validatingadmissionpolicies`, {
        metadata: { name: "own-node" },
        spec: {
          matchConstraints: { resourceRules: [writes], objectSelector: { matchLabels: { case: "own-node" } } },
          matchConditions: [
            {
              name: "agents",
              expression: `request.userInfo.username == 'system:serviceaccount:${NAMESPACE}:agent' || request.name == 'sentinel'`,
            },
          ],
          variables: [
            { name: "node", expression: `request.userInfo.?extra[?'${node}'].orValue([''])[0]` },
            { name: "name", expression: "object == null ? oldObject.metadata.name : object.metadata.name" },
          ],
          validations: [
            {
              expression: "variables.node != '' && variables.name == variables.node",
              messageExpression: "'an agent on \"' + variables.node + '\" may not write ' + variables.name",
              reason: "Forbidden",
            },
          ],
        },
      });
      await make(cluster, `${GROUP}/validatingadmissionpolicybindings`, {
        metadata: { name: "own-node" },
        spec: { policyName: "own-node", validationActions: ["Deny"] },
      });
      await heard(cluster, "own-node", { case: "own-node" });
    });

    async function tokenFor(node: string, spec: Fields): Promise<void> {
      const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/agent/token`;
      const { status } = await make(cluster, path, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec,
      });
      tokens.set(node, (status as { token: string }).token);
    }

    const object = (name: string): Fields => ({ metadata: { name, labels: { case: "own-node" } }, data: {} });
    const refusal = (name: string, node: string): string =>
      `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy 'own-node' with binding 'own-node' denied request: an agent on "${node}" may not write ${name}`;

    it.each([
      ["node-a", "node-b"],
      ["node-b", "node-a"],
    ])("the one on %s writes what is its own, and nothing of %s", async (own, other) => {
      const token = tokens.get(own);
      expect((await callAs({ cluster, token }, "POST", CONFIG_MAPS, object(own))).code).toBe(201);
      const foreign = await callAs({ cluster, token }, "POST", CONFIG_MAPS, object(other));
      expect({ code: foreign.code, message: foreign.body.message }).toEqual({
        code: 403,
        message: refusal(other, own),
      });
      const change = { data: { by: own } };
      expect((await callAs({ cluster, token }, "PATCH", `${CONFIG_MAPS}/${own}`, change)).code).toBe(200);
      await call(cluster, "POST", CONFIG_MAPS, object(other));
      for (const method of ["PATCH", "DELETE"]) {
        const body = method === "PATCH" ? change : undefined;
        const answer = await callAs({ cluster, token }, method, `${CONFIG_MAPS}/${other}`, body);
        expect(answer.body.message).toBe(refusal(other, own));
      }
      expect((await callAs({ cluster, token }, "DELETE", `${CONFIG_MAPS}/${own}`)).code).toBe(200);
      expect((await call(cluster, "DELETE", `${CONFIG_MAPS}/${other}`)).code).toBe(200);
    });

    it("one that runs on no node writes nothing", async () => {
      const answer = await callAs({ cluster, token: tokens.get("nowhere") }, "POST", CONFIG_MAPS, object("node-a"));
      expect(answer.body.message).toBe(refusal("node-a", ""));
    });
  });

  it("are shown by kubectl", async () => {
    const policies = rows(await cluster.kubectl.out("get validatingadmissionpolicies param-named plain"));
    expect(policies.map((row) => row.slice(0, 3))).toEqual([
      ["NAME", "VALIDATIONS", "PARAMKIND"],
      ["param-named", "2", "v1/ConfigMap"],
      ["plain", "2", "<unset>"],
    ]);
    const bindings = rows(
      await cluster.kubectl.out(
        "get validatingadmissionpolicybindings param-named param-selected param-with-namespace plain",
      ),
    );
    expect(bindings.map((row) => row.slice(0, 3))).toEqual([
      ["NAME", "POLICYNAME", "PARAMREF"],
      ["param-named", "param-named", "*/param-a"],
      [
        "param-selected",
        "param-selected",
        "&LabelSelector{MatchLabels:map[string]string{param: yes,},MatchExpressions:[]LabelSelectorRequirement{},}",
      ],
      ["param-with-namespace", "param-with-namespace", "work/n"],
      ["plain", "plain", "<unset>"],
    ]);
    await cluster.kubectl.prints(
      "get validatingadmissionpolicy plain -o jsonpath={.metadata.generation}{.spec.failurePolicy}{.spec.matchConstraints.matchPolicy}{.spec.matchConstraints.namespaceSelector}{.spec.matchConstraints.resourceRules[0].scope}",
      "1FailEquivalent{}*",
    );
  });
});
