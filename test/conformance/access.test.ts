import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import type { Kubectl } from "./kubectl.ts";
import { NAMESPACE, onEachServer, type Cluster } from "./on-each-server.ts";
import { rows } from "./printed-table.ts";

/** kubectl with these credentials. */
async function identified(
  { home, server, kubectl }: Cluster,
  name: string,
  credentials: { token: string } | { certPem: string; keyPem: string },
): Promise<Kubectl> {
  const path = join(home, `${name}.kubeconfig`);
  const { caPem } = server.authority;
  await writeKubeconfig(path, { server: server.url, caPem, namespace: NAMESPACE, ...credentials });
  return kubectl.with(path);
}

onEachServer("access", (cluster) => {
  const make = (stdin: object): Promise<string> => cluster.kubectl.out("create -f -", { stdin: JSON.stringify(stdin) });

  beforeAll(async () => {
    const metadata = { name: "readers" };
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }];
    const subjects = [
      { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" },
      { kind: "ServiceAccount", name: "robot", namespace: NAMESPACE },
    ];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "readers" };
    const apiVersion = "rbac.authorization.k8s.io/v1";
    await make({ apiVersion, kind: "Role", metadata, rules });
    await make({ apiVersion, kind: "RoleBinding", metadata, subjects, roleRef });
    await make({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } });
    await make({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shelf" } });
  });

  it("shows the current user", async () => {
    expect(rows(await cluster.kubectl.out("auth whoami"))).toEqual(
      expect.arrayContaining([
        ["Username", "admin"],
        ["Groups", "[system:masters system:authenticated]"],
      ]),
    );
    const impersonated = rows(await cluster.kubectl.out("auth whoami --as=jane --as-group=staff --as-group=night"));
    expect(impersonated).toEqual([
      ["ATTRIBUTE", "VALUE"],
      ["Username", "jane"],
      ["Groups", "[staff night system:authenticated]"],
    ]);
  });

  it("checks the user's rights", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("auth can-i delete nodes", "yes");
    await kubectl.prints("auth can-i get configmaps --as=jane", "yes");
    await kubectl.prints("auth can-i get configmap/shelf --as=jane", "yes");
    const denied = await kubectl.run("auth can-i delete configmaps --as=jane");
    expect(denied).toMatchObject({ code: 1, out: "no" });
    expect(await kubectl.run("auth can-i get configmaps --as=jane -n default")).toMatchObject({ code: 1, out: "no" });
    expect(await kubectl.run("auth can-i list configmaps --as=jane -A")).toMatchObject({ code: 1, out: "no" });
    await kubectl.prints("auth can-i get /healthz --as=jane", "yes");
    expect(await kubectl.run("auth can-i get /metrics --as=jane")).toMatchObject({ code: 1, out: "no" });
    await kubectl.prints("auth can-i '*' '*'", "yes");
  });

  it("lists the user's rights", async () => {
    const table = rows(await cluster.kubectl.out("auth can-i --list --as=jane"));
    expect(table).toContainEqual(["configmaps", "[]", "[]", "[get list watch]"]);
    expect(table).toContainEqual(["selfsubjectaccessreviews.authorization.k8s.io", "[]", "[]", "[create]"]);
    expect(table.some((row) => row.includes("[/healthz]"))).toBe(true);
  });

  it("allows a user exactly its rights, and names what is missing", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("get configmaps --as=jane -o name", "configmap/kube-root-ca.crt\nconfigmap/shelf");
    const refusals: [string, string][] = [
      [
        "delete configmap shelf",
        'Error from server (Forbidden): configmaps "shelf" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "work"',
      ],
      [
        "get pods",
        'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "work"',
      ],
      [
        "get nodes",
        'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
      ],
      [
        "get configmaps -A",
        'Error from server (Forbidden): configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope',
      ],
      [
        "get daemonset a -n default",
        'Error from server (Forbidden): daemonsets.apps "a" is forbidden: User "jane" cannot get resource "daemonsets" in API group "apps" in the namespace "default"',
      ],
      ["get --raw /metrics", 'Error from server (Forbidden): forbidden: User "jane" cannot get path "/metrics"'],
    ];
    for (const [command, message] of refusals) await kubectl.refuses(`${command} --as=jane`, message);
  });

  it("creates roles and bindings, which apply at once", async () => {
    const { kubectl } = cluster;
    await kubectl.prints(
      "create role cleaners --verb=delete --resource=configmaps --resource-name=shelf",
      "role.rbac.authorization.k8s.io/cleaners created",
    );
    await kubectl.prints(
      "create rolebinding cleaners --role=cleaners --group=night",
      "rolebinding.rbac.authorization.k8s.io/cleaners created",
    );
    await kubectl.prints("auth can-i delete configmap/shelf --as=bob --as-group=night", "yes");
    expect(await kubectl.run("auth can-i delete configmap/other --as=bob --as-group=night")).toMatchObject({
      out: "no",
    });
    await kubectl.prints(
      "create clusterrole watchers --verb=get,list --resource=nodes,pods",
      "clusterrole.rbac.authorization.k8s.io/watchers created",
    );
    await kubectl.prints(
      "create clusterrolebinding watchers --clusterrole=watchers --user=eve",
      "clusterrolebinding.rbac.authorization.k8s.io/watchers created",
    );
    await kubectl.prints("get nodes --as=eve -o name", "");
    await kubectl.prints("get rolebinding cleaners -o wide", /^cleaners +Role\/cleaners +\S+ +night/m);
    await kubectl.out("delete clusterrolebinding watchers");
    await kubectl.refuses("get nodes --as=eve", /nodes is forbidden: User "eve" cannot list/);
  });

  it("has the default roles", async () => {
    const names = (await cluster.kubectl.out("get clusterroles -o name")).split("\n");
    for (const role of ["cluster-admin", "admin", "edit", "view", "system:discovery", "system:basic-user"])
      expect(names).toContain(`clusterrole.rbac.authorization.k8s.io/${role}`);
    await make({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "owners" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "olga" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    });
    await cluster.kubectl.prints("get secrets --as=olga -o name", "");
    await cluster.kubectl.refuses(
      "get secrets -A --as=olga",
      /secrets is forbidden: User "olga" cannot list resource "secrets"/,
    );
  });

  it("refuses to grant more than the user has", async () => {
    const { kubectl } = cluster;
    const apiVersion = "rbac.authorization.k8s.io/v1";
    await make({
      apiVersion,
      kind: "Role",
      metadata: { name: "role-writers" },
      rules: [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["create"] }],
    });
    await make({
      apiVersion,
      kind: "RoleBinding",
      metadata: { name: "role-writers" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "role-writers" },
    });
    const role = (verbs: string[]): string =>
      JSON.stringify({
        apiVersion,
        kind: "Role",
        metadata: { name: `of-${verbs.join("-")}` },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
      });
    await kubectl.prints("create --as=jane -f -", "role.rbac.authorization.k8s.io/of-get created", {
      stdin: role(["get"]),
    });
    await kubectl.refuses(
      "create --as=jane -f -",
      /roles\.rbac\.authorization\.k8s\.io "of-delete" is forbidden: user "jane" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["configmaps"\], Verbs:\["delete"\]\}/,
      { stdin: role(["delete"]) },
    );
  });

  it("refuses to impersonate without the right", async () => {
    const jane = await identified(
      cluster,
      "jane",
      cluster.server.authority.issue({ commonName: "jane", organizations: ["staff"], purpose: "client" }),
    );
    await jane.prints("get configmaps -o name", "configmap/kube-root-ca.crt\nconfigmap/shelf");
    await jane.refuses(
      "get configmaps --as=admin",
      'Error from server (Forbidden): users "admin" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("creates a token for a service account that works", async () => {
    const token = await cluster.kubectl.out("create token robot --duration=20m");
    expect(token.split(".")).toHaveLength(3);
    const robot = await identified(cluster, "robot", { token });
    await robot.prints("get configmaps -o name", "configmap/kube-root-ca.crt\nconfigmap/shelf");
    await robot.refuses(
      "get secrets",
      /secrets is forbidden: User "system:serviceaccount:work:robot" cannot list resource "secrets" in API group "" in the namespace "work"/,
    );
    expect(rows(await robot.out("auth whoami"))).toEqual(
      expect.arrayContaining([
        ["Username", "system:serviceaccount:work:robot"],
        ["Groups", "[system:serviceaccounts system:serviceaccounts:work system:authenticated]"],
      ]),
    );
    await cluster.kubectl.refuses(
      "create token nobody",
      'error: failed to create token: serviceaccounts "nobody" not found',
    );
  });

  it("refuses unknown users", async () => {
    const stranger = await identified(cluster, "stranger", { token: "made-up" });
    await stranger.refuses("get configmaps", "error: You must be logged in to the server (Unauthorized)");
  });
});
