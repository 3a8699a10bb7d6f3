import { request } from "node:https";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import type { Kubectl } from "./kubectl.ts";
import { NAMESPACE, onEachServer } from "./on-each-server.ts";

interface Shown {
  metadata: { uid: string; name: string; labels?: Record<string, string> };
  items: Shown[];
}

const as = (node: string): string => `--as=system:node:${node} --as-group=system:nodes`;
const inWork = `in API group "" in the namespace "${NAMESPACE}"`;
const forbidden = "Error from server (Forbidden): ";

onEachServer("a node", (cluster) => {
  const make = async (object: object, flags = ""): Promise<Shown> =>
    (await cluster.kubectl.json(`create --validate=false -f - ${flags}`, { stdin: JSON.stringify(object) })) as Shown;
  const refusesToMake = (object: object, why: string): Promise<void> =>
    cluster.kubectl.refuses(
      `create --validate=false -f - ${as("a")}`,
      `${forbidden}error when creating "STDIN": ${why}`,
      { stdin: JSON.stringify(object) },
    );
  const may = (command: string): Promise<string> => cluster.kubectl.out(`${command} ${as("a")}`);
  const mayNot = (command: string, why: string): Promise<void> =>
    cluster.kubectl.refuses(`${command} ${as("a")}`, forbidden + why);
  /** kubectl would read the status first, which a node may not. */
  const patchStatus = (path: string, body: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { url, authority } = cluster.server;
      const headers = {
        authorization: `Bearer ${authority.adminToken}`,
        "impersonate-user": "system:node:a",
        "impersonate-group": "system:nodes",
        "content-type": "application/merge-patch+json",
      };
      const options = { method: "PATCH", ca: authority.caPem, agent: false, headers };
      request(`${url}/api/v1/${path}/status`, options, (response) => {
        json(response).then(resolve, reject);
      })
        .on("error", reject)
        .end(JSON.stringify(body));
    });
  const plain = (kind: string, name: string): object => ({ apiVersion: "v1", kind, metadata: { name } });
  const uids: Record<string, string> = {};

  beforeAll(async () => {
    for (const node of ["a", "b"]) uids[node] = (await make(plain("Node", node), as(node))).metadata.uid;
    for (const node of ["a", "b"]) {
      for (const kind of ["Secret", "ConfigMap", "ServiceAccount"]) await make(plain(kind, `of-${node}`));
      await make({
        ...plain("PersistentVolumeClaim", `of-${node}`),
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      const pod = await make({
        ...plain("Pod", `on-${node}`),
        spec: {
          nodeName: node,
          serviceAccountName: `of-${node}`,
          containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: `of-${node}` } }] }],
          volumes: [
            { name: "m", configMap: { name: `of-${node}` } },
            { name: "p", persistentVolumeClaim: { claimName: `of-${node}` } },
          ],
        },
      });
      uids[`on-${node}`] = pod.metadata.uid;
    }
  });

  describe("reads what its pods need and nothing else", () => {
    it.each(["secret", "configmap", "pvc", "sa", "pod"])("of kind %s", async (kind) => {
      const prefix = kind === "pod" ? "on" : "of";
      await may(`get ${kind} ${prefix}-a -o name`);
      await cluster.kubectl.refuses(
        `get ${kind} ${prefix}-b ${as("a")}`,
        new RegExp(`no relationship found between node 'a' and this object$`),
      );
    });

    it("of volumes those of its pods' claims, and the secrets to attach them", async () => {
      for (const node of ["a", "b"]) {
        await make(plain("Secret", `volume-${node}`));
        await make({
          ...plain("PersistentVolume", `of-${node}`),
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            claimRef: { namespace: NAMESPACE, name: `of-${node}` },
            csi: {
              driver: "d",
              volumeHandle: node,
              nodeStageSecretRef: { namespace: NAMESPACE, name: `volume-${node}` },
            },
          },
        });
      }
      await may("get pv of-a -o name");
      await may("get secret volume-a -o name");
      for (const other of ["pv of-b", "secret volume-b"])
        await cluster.kubectl.refuses(
          `get ${other} ${as("a")}`,
          /no relationship found between node 'a' and this object$/,
        );
    });

    it("with a selector that names one of them", async () => {
      await may("get secrets --field-selector=metadata.name=of-a -o name");
      const cannot = `User "system:node:a" cannot list resource "secrets" ${inWork}`;
      await mayNot("get secrets", `secrets is forbidden: ${cannot}: No Object name found`);
      await mayNot(
        "get secrets --field-selector=metadata.name=of-b",
        `secrets "of-b" is forbidden: ${cannot}: no relationship found between node 'a' and this object`,
      );
      await mayNot(
        "get secrets -A --field-selector=metadata.name=of-a",
        'secrets "of-a" is forbidden: User "system:node:a" cannot list resource "secrets" in API group "" at the cluster scope: can only read namespaced object of this type',
      );
      await mayNot("get secrets -l x=y", `secrets is forbidden: ${cannot}: No Object name found`);
    });

    it("in a watch as in a list", async () => {
      const path = `/api/v1/namespaces/${NAMESPACE}/secrets?watch=true&timeoutSeconds=1`;
      await may(`get --raw ${path}&fieldSelector=metadata.name%3Dof-a`);
      for (const selector of ["", "&fieldSelector=metadata.name%3Dof-b", "&fieldSelector=metadata.name!%3Dof-b"])
        await cluster.kubectl.refuses(`get --raw ${path}${selector} ${as("a")}`, /forbidden/);
    });

    it("of pods by their node", async () => {
      const listed = JSON.parse(await may("get pods -A --field-selector=spec.nodeName=a -o json")) as Shown;
      expect(listed.items.map(({ metadata }) => metadata.name)).toEqual(["on-a"]);
      const cannot = 'User "system:node:a" cannot list resource "pods"';
      const why = "can only list/watch pods with spec.nodeName field selector";
      for (const selector of ["", " --field-selector=spec.nodeName=b", " --field-selector=spec.nodeName!=a"])
        await mayNot(`get pods${selector}`, `pods is forbidden: ${cannot} ${inWork}: ${why}`);
    });

    it("of nodes itself", async () => {
      await may("get node a -o name");
      const scope = 'in API group "" at the cluster scope';
      const only = "only its own Node object";
      await mayNot(
        "get node b",
        `nodes "b" is forbidden: User "system:node:a" cannot get resource "nodes" ${scope}: node 'a' cannot read 'b', ${only}`,
      );
      await mayNot(
        "get nodes",
        `nodes is forbidden: User "system:node:a" cannot list resource "nodes" ${scope}: node 'a' cannot read all nodes, ${only}`,
      );
    });

    it("no longer once the pod is gone", async () => {
      await make(plain("Secret", "passing"));
      await make({
        ...plain("Pod", "passing"),
        spec: { nodeName: "a", containers: [{ name: "c", image: "i" }], imagePullSecrets: [{ name: "passing" }] },
      });
      await may("get secret passing -o name");
      await cluster.kubectl.out("delete pod passing --grace-period=0 --force");
      await cluster.kubectl.refuses(`get secret passing ${as("a")}`, /no relationship found/);
    });

    it("and access reviews say so", async () => {
      expect(await cluster.kubectl.run(`auth can-i get secret/of-a ${as("a")}`)).toMatchObject({ out: "yes" });
      expect(await cluster.kubectl.run(`auth can-i get secret/of-b ${as("a")}`)).toMatchObject({
        code: 1,
        out: "no - no relationship found between node 'a' and this object",
      });
      expect((await cluster.kubectl.run(`auth can-i --list ${as("a")}`)).err).toContain(
        "the list may be incomplete: node authorizer does not support user rule resolution",
      );
    });
  });

  describe("of nodes writes its own", () => {
    it.each([
      ["label node b x=y", 'nodes "b" is forbidden: User "system:node:a" cannot get'],
      ["delete node a", 'nodes "a" is forbidden: User "system:node:a" cannot delete'],
      [
        "label node a node-restriction.kubernetes.io/x=y",
        "is not allowed to modify labels: node-restriction.kubernetes.io/x",
      ],
      [
        "label node a node-role.kubernetes.io/control-plane=",
        "is not allowed to modify labels: node-role.kubernetes.io/control-plane",
      ],
      ["taint node a k=v:NoSchedule", 'node "a" is not allowed to modify taints'],
      [
        `patch node a -p '{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"b","uid":"1"}]}}'`,
        'node "a" is not allowed to modify ownerReferences',
      ],
    ])("and is refused: %s", async (command, why) => {
      const { code, err } = await cluster.kubectl.run(`${command} ${as("a")}`);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) });
    });

    const owner = { apiVersion: "v1", kind: "Node", name: "b", uid: "1" };
    it.each([
      ["a", { metadata: { labels: { "x.k8s.io/y": "z" } } }, "is not allowed to modify labels: x.k8s.io/y"],
      ["a", { metadata: { ownerReferences: [owner] } }, 'node "a" is not allowed to modify ownerReferences'],
      ["a", { spec: { taints: [] } }, 'node "a" is not allowed to modify taints'],
      ["b", { metadata: { labels: { x: "y" } } }, 'node "a" is not allowed to modify node "b"'],
      ["b", { status: { capacity: { cpu: "4" } } }, 'node "a" is not allowed to modify node "b"'],
    ])("and reports nothing but its state: %s %j", async (node, body, why) => {
      expect(await patchStatus(`nodes/${node}`, body)).toMatchObject({
        code: 403,
        message: `nodes "${node}" is forbidden: ${why}`,
      });
    });

    it("with its status, and labels outside Kubernetes' domains or its own", async () => {
      expect(await patchStatus("nodes/a", { status: { capacity: { cpu: "4" } } })).toMatchObject({ kind: "Node" });
      await may("label node a kubernetes.io/hostname=a topology.kubernetes.io/zone=z mine=yes node.kubernetes.io/x=y");
      await refusesToMake(plain("Node", "c"), 'nodes "c" is forbidden: node "a" is not allowed to modify node "c"');
      await cluster.kubectl.refuses(
        `create --validate=false -f - ${as("d")}`,
        /nodes "d" is forbidden: node "d" is not allowed to set the following labels: a.kubernetes.io\/x, z.k8s.io\/x$/,
        {
          stdin: JSON.stringify({
            apiVersion: "v1",
            kind: "Node",
            metadata: { name: "d", labels: { "z.k8s.io/x": "", "a.kubernetes.io/x": "", free: "" } },
          }),
        },
      );
    });

    it("and its own lease, in one place", async () => {
      const lease = (name: string, namespace: string): object => ({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name, namespace },
      });
      await make(lease("a", "kube-node-lease"), as("a"));
      await refusesToMake(
        lease("b", "kube-node-lease"),
        'leases.coordination.k8s.io "b" is forbidden: can only access node lease with the same name as the requesting node',
      );
      await refusesToMake(
        lease("a", NAMESPACE),
        `leases.coordination.k8s.io is forbidden: User "system:node:a" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "${NAMESPACE}": can only access leases in the "kube-node-lease" system namespace`,
      );
    });
  });

  describe("of pods writes those that run on it", () => {
    it.each([
      ["delete pod on-b", 'node "a" can only delete pods with spec.nodeName set to itself'],
      ["label pod on-a x=y", 'cannot patch resource "pods"'],
    ])("and is refused: %s", async (command, why) => {
      const { code, err } = await cluster.kubectl.run(`${command} ${as("a")}`);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) });
    });

    it.each([
      [
        "on-b",
        { status: { phase: "Failed" } },
        'node "a" can only update pod status for pods with spec.nodeName set to itself',
      ],
      ["on-a", { metadata: { labels: { x: "y" } } }, 'node "a" cannot update labels through pod status'],
    ])("and reports the state of no other: %s %j", async (pod, body, why) => {
      expect(await patchStatus(`namespaces/${NAMESPACE}/pods/${pod}`, body)).toMatchObject({
        code: 403,
        message: `pods "${pod}" is forbidden: ${why}`,
      });
    });

    it("and evicts no other, and binds none", async () => {
      await make({ ...plain("Pod", "loose"), spec: { containers: [{ name: "c", image: "i" }] } });
      const raw = (path: string, body: object, why: RegExp): Promise<void> =>
        cluster.kubectl.refuses(`create --raw /api/v1/namespaces/${NAMESPACE}/pods/${path} -f - ${as("a")}`, why, {
          stdin: JSON.stringify(body),
        });
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "on-b" } };
      await raw("on-b/eviction", eviction, /node a can only evict pods with spec.nodeName set to itself$/);
      const binding = { ...plain("Binding", "loose"), target: { kind: "Node", name: "a" } };
      await raw("loose/binding", binding, /cannot create resource "pods\/binding" in API group ""/);
    });

    it("and creates mirror pods without references", async () => {
      const mirror = (metadata: object, spec: object = {}): object => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "m", annotations: { "kubernetes.io/config.mirror": "x" }, ...metadata },
        spec: { nodeName: "a", containers: [{ name: "c", image: "i" }], ...spec },
      });
      const owner = { apiVersion: "v1", kind: "Node", name: "a", uid: uids.a, controller: true };
      const owned = (change: object = {}): object => ({ ownerReferences: [{ ...owner, ...change }] });
      const can = 'node "a" can only create';
      const cases: [object, string][] = [
        [mirror({ annotations: {} }), `pod does not have "kubernetes.io/config.mirror" annotation, ${can} mirror pods`],
        [mirror(owned(), { nodeName: "b" }), `${can} pods with spec.nodeName set to itself`],
        [mirror({}), `${can} pods with an owner reference set to itself`],
        [mirror(owned({ name: "b" })), `${can} pods with an owner reference set to itself`],
        [mirror(owned({ controller: false })), `${can} pods with a controller owner reference set to itself`],
        [mirror(owned({ blockOwnerDeletion: true })), 'node "a" must not set blockOwnerDeletion on an owner reference'],
        [mirror(owned({ uid: uids.b })), `node a UID mismatch: expected ${uids.b} got ${uids.a}`],
        [
          mirror(owned(), { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "of-b" } }] }),
          'node "a" can not create pods that reference persistentvolumeclaims',
        ],
        [
          mirror(owned(), { containers: [{ name: "c", image: "i", envFrom: [{ configMapRef: { name: "of-b" } }] }] }),
          'node "a" can not create pods that reference configmaps',
        ],
      ];
      for (const [object, why] of cases) await refusesToMake(object, `pods "m" is forbidden: ${why}`);
      await make(mirror(owned()), as("a"));
      await may("delete pod m --grace-period=0 --force");
    });
  });

  describe("requests tokens", () => {
    const token = (account: string, pod: string, more = ""): string =>
      `create token ${account} --bound-object-kind=Pod --bound-object-name=${pod}${more}`;

    it("of its pods' accounts, bound to them", async () => {
      const bound = await may(token("of-a", "on-a", ` --bound-object-uid=${uids["on-a"]}`));
      const kubeconfig = join(cluster.home, "pod-kubeconfig");
      const { caPem } = cluster.server.authority;
      await writeKubeconfig(kubeconfig, { server: cluster.server.url, caPem, token: bound, namespace: NAMESPACE });
      const pod: Kubectl = cluster.kubectl.with(kubeconfig);
      const who = await pod.out("auth whoami");
      for (const [key, value] of [
        ["node-name", "a"],
        ["node-uid", uids.a],
        ["pod-name", "on-a"],
        ["pod-uid", uids["on-a"]],
      ])
        expect(who).toMatch(new RegExp(`authentication.kubernetes.io/${key}\\s+\\[${value}\\]`));
      expect(who).toMatch(/authentication.kubernetes.io\/credential-id\s+\[JTI=/);
    });

    it.each([
      ["create token of-a", "node requested token not bound to a pod"],
      [token("of-a", "on-a"), "node requested token with a pod binding without a uid"],
      [token("of-a", "on-a", " --bound-object-uid=1"), "the UID in the bound object reference (1) does not match"],
      [token("of-b", "on-b"), "no relationship found between node 'a' and this object"],
    ])("and is refused: %s", async (command, why) => {
      const { code, err } = await cluster.kubectl.run(`${command} ${as("a")}`);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) });
    });

    it("not bound to other nodes' pods, and only for audiences that its pods name", async () => {
      await cluster.kubectl.refuses(
        `${token("of-a", "on-b", ` --bound-object-uid=${uids["on-b"]}`)} ${as("a")}`,
        /node requested token bound to a pod scheduled on a different node$/,
      );
      const containers = [{ name: "c", image: "i" }];
      const { metadata } = await make({ ...plain("Pod", "bare"), spec: { nodeName: "a", containers } });
      await cluster.kubectl.refuses(
        `${token("default", "bare", ` --bound-object-uid=${metadata.uid} --audience=vault`)} ${as("a")}`,
        /audience "vault" not found in pod spec volume, system:node:a is not authorized to request tokens for this audience$/,
      );
    });
  });

  it("is authenticated by its certificate, and has no rights without the group", async () => {
    const { authority, url } = cluster.server;
    const identity = async (name: string, organizations: string[]): Promise<Kubectl> => {
      const { certPem, keyPem } = authority.issue({ commonName: name, organizations, purpose: "client" });
      const kubeconfig = join(cluster.home, `kubeconfig-${organizations.length}`);
      await writeKubeconfig(kubeconfig, { server: url, caPem: authority.caPem, certPem, keyPem, namespace: NAMESPACE });
      return cluster.kubectl.with(kubeconfig);
    };
    const node = await identity("system:node:a", ["system:nodes"]);
    await node.prints("get secret of-a -o name", "secret/of-a");
    await node.refuses("get secret of-b", /no relationship found between node 'a' and this object$/);
    const stranger = await identity("system:node:a", []);
    await stranger.refuses("get secret of-a", /cannot get resource "secrets" .* in the namespace "work"$/);
    await cluster.kubectl.refuses(
      "get node a --as=system:node: --as-group=system:nodes",
      /unknown node for user "system:node:"$/,
    );
  });
});
