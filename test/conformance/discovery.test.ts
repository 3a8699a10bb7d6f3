import { expect, it } from "vitest";
import { serverVariants } from "../servers/server-under-test.ts";
import { onEachServer } from "./on-each-server.ts";
import { rows } from "./printed-table.ts";

if (serverVariants().length === 1)
  console.log("conformance: not compared with a real server, because KUBEBUILDER_ASSETS does not name one");

onEachServer("discovery", (cluster) => {
  it("shows its version", async () => {
    const { serverVersion } = (await cluster.kubectl.json("version")) as { serverVersion: Record<string, string> };
    expect(serverVersion).toMatchObject({ major: "1", minor: expect.stringMatching(/^\d+$/) as string });
    expect(serverVersion.gitVersion).toMatch(/^v1\.\d+\.\d+/);
  });

  it.each(["/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/ping", "/readyz/ping"])(
    "is well at %s",
    async (path) => {
      await cluster.kubectl.prints(`get --raw ${path}`, "ok");
    },
  );

  it("answers a raw path with the body", async () => {
    const answer = JSON.parse(await cluster.kubectl.out("get --raw /api/v1/namespaces/work")) as object;
    expect(answer).toMatchObject({ kind: "Namespace", apiVersion: "v1", status: { phase: "Active" } });
    await cluster.kubectl.refuses(
      "get --raw /api/v1/namespaces/none",
      'Error from server (NotFound): namespaces "none" not found',
    );
    await cluster.kubectl.refuses(
      "get --raw /apis/nobody.example/v1",
      "Error from server (NotFound): the server could not find the requested resource",
    );
  });

  it("lists the group versions", async () => {
    const versions = (await cluster.kubectl.out("api-versions")).split("\n");
    expect(versions).toEqual(
      expect.arrayContaining([
        "apiextensions.k8s.io/v1",
        "apps/v1",
        "authentication.k8s.io/v1",
        "authorization.k8s.io/v1",
        "coordination.k8s.io/v1",
        "node.k8s.io/v1",
        "rbac.authorization.k8s.io/v1",
        "v1",
      ]),
    );
  });

  it("lists the resources with short names, scope and verbs", async () => {
    const table = rows(await cluster.kubectl.out("api-resources -o wide"));
    const stored = "create,delete,deletecollection,get,list,patch,update,watch";
    const wanted = [
      ["configmaps", "cm", "v1", "true", "ConfigMap", stored],
      ["events", "ev", "v1", "true", "Event", stored],
      ["namespaces", "ns", "v1", "false", "Namespace", "create,delete,get,list,patch,update,watch"],
      ["nodes", "no", "v1", "false", "Node", stored],
      ["pods", "po", "v1", "true", "Pod", stored, "all"],
      ["secrets", "v1", "true", "Secret", stored],
      ["serviceaccounts", "sa", "v1", "true", "ServiceAccount", stored],
      [
        "customresourcedefinitions",
        "crd,crds",
        "apiextensions.k8s.io/v1",
        "false",
        "CustomResourceDefinition",
        stored,
        "api-extensions",
      ],
      ["daemonsets", "ds", "apps/v1", "true", "DaemonSet", stored, "all"],
      ["selfsubjectreviews", "authentication.k8s.io/v1", "false", "SelfSubjectReview", "create"],
      ["tokenreviews", "authentication.k8s.io/v1", "false", "TokenReview", "create"],
      ["localsubjectaccessreviews", "authorization.k8s.io/v1", "true", "LocalSubjectAccessReview", "create"],
      ["selfsubjectaccessreviews", "authorization.k8s.io/v1", "false", "SelfSubjectAccessReview", "create"],
      ["selfsubjectrulesreviews", "authorization.k8s.io/v1", "false", "SelfSubjectRulesReview", "create"],
      ["subjectaccessreviews", "authorization.k8s.io/v1", "false", "SubjectAccessReview", "create"],
      ["leases", "coordination.k8s.io/v1", "true", "Lease", stored],
      ["runtimeclasses", "node.k8s.io/v1", "false", "RuntimeClass", stored],
      ["clusterrolebindings", "rbac.authorization.k8s.io/v1", "false", "ClusterRoleBinding", stored],
      ["clusterroles", "rbac.authorization.k8s.io/v1", "false", "ClusterRole", stored],
      ["rolebindings", "rbac.authorization.k8s.io/v1", "true", "RoleBinding", stored],
      ["roles", "rbac.authorization.k8s.io/v1", "true", "Role", stored],
    ];
    for (const row of wanted) expect(table).toContainEqual(row);
    const ofInterest = table.filter((row) => wanted.some((want) => want.join() === row.join()));
    expect(ofInterest.map(([plural]) => plural)).toEqual(wanted.map(([plural]) => plural));
  });

  it("narrows the resources by group, scope and verb", async () => {
    await cluster.kubectl.prints("api-resources --api-group=coordination.k8s.io -o name", "leases.coordination.k8s.io");
    const clusterWide = (await cluster.kubectl.out("api-resources --namespaced=false -o name")).split("\n");
    expect(clusterWide).toContain("nodes");
    expect(clusterWide).not.toContain("pods");
    const computed = (await cluster.kubectl.out("api-resources --verbs=create -o name")).split("\n");
    expect(computed).toContain("tokenreviews.authentication.k8s.io");
  });

  it("resolves short names, singulars and full names to the same resource", async () => {
    for (const name of ["ns", "namespace", "namespaces", "namespaces.v1.", "Namespace"])
      await cluster.kubectl.prints(`get ${name} work -o name`, "namespace/work");
    for (const name of ["ds", "daemonset", "daemonsets.apps", "daemonset.v1.apps"])
      await cluster.kubectl.prints(`get ${name} -o name`, "");
    await cluster.kubectl.refuses("get gadgets", `error: the server doesn't have a resource type "gadgets"`);
  });

  it("explains built-in kinds, down to nested fields", async () => {
    const configMap = await cluster.kubectl.out("explain configmap");
    expect(configMap).toMatch(/^KIND: +ConfigMap\nVERSION: +v1\n/);
    expect(configMap).toMatch(/^ {2}binaryData\t<map\[string\]string>$/m);
    expect(configMap).toMatch(/^ {2}immutable\t<boolean>$/m);
    expect(configMap).toMatch(/^ {2}metadata\t<ObjectMeta>$/m);
    const resources = await cluster.kubectl.out("explain daemonset.spec.template.spec.containers.resources");
    expect(resources).toMatch(
      /^GROUP: +apps\nKIND: +DaemonSet\nVERSION: +v1\n\nFIELD: resources <ResourceRequirements>\n/,
    );
    expect(resources).toMatch(/^ {2}limits\t<map\[string\]Quantity>$/m);
    const container = await cluster.kubectl.out("explain pod.spec.containers");
    expect(container).toMatch(/^FIELD: containers <\[\]Container>$/m);
    expect(container).toMatch(/^ {2}name\t<string> -required-$/m);
    const policy = await cluster.kubectl.out("explain pod.spec.restartPolicy");
    expect(policy).toMatch(/^FIELD: restartPolicy <string>\nENUM:\n {4}Always\n {4}Never\n {4}OnFailure$/m);
    await cluster.kubectl.refuses("explain pod.spec.nothing", 'error: field "nothing" does not exist');
  });

  it("explains a whole kind recursively", async () => {
    const lease = await cluster.kubectl.out("explain lease --recursive");
    const spec = lease.slice(lease.indexOf("  spec\t"));
    expect(spec.split("\n")).toEqual([
      "  spec\t<LeaseSpec>",
      "    acquireTime\t<string>",
      "    holderIdentity\t<string>",
      "    leaseDurationSeconds\t<integer>",
      "    leaseTransitions\t<integer>",
      "    preferredHolder\t<string>",
      "    renewTime\t<string>",
      "    strategy\t<string>",
    ]);
  });
});
