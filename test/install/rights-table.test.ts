import { describe, expect, it } from "vitest";
import { agentGrants } from "../../src/program/agent/rbac.ts";
import { foundation, type InstallOptions, installManifests } from "../../src/program/cli/install/manifests.ts";
import { group } from "../../src/domain/node-tuning/api.ts";
import type { Grant } from "../../src/language/object/grant.ts";
import { at, get } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { operatorGrants } from "../../src/program/operator/rbac.ts";
import { hostedClusterGrants } from "../../src/program/operator/hosted-rbac.ts";
import { firstBootGrants, issuerGrants } from "../../src/program/operator/first-boot/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { hostedOperatorGrants, hostedOperatorRole, managementGrants } from "../../src/program/management/rbac.ts";
import { scyllaAgentGrants } from "../../src/domain/scylla/on-node/agent-grants.ts";
import { scyllaPolicies } from "../../src/program/operator/scylla/policies.ts";
import { scyllaGrants } from "../../src/program/operator/scylla/rbac.ts";
import { webhookGrants } from "../../src/program/webhook/rbac.ts";

const accounts: [string, readonly Grant[]][] = [
  ["attune-operator", operatorGrants()],
  ["attune-agent", agentGrants({ protocol: "shipped" })],
  ["attune-webhook", webhookGrants({ namespace: systemNamespace })],
  ["attune-operator, with --first-boot", firstBootGrants],
  ["(role attune:first-boot-issuer)", issuerGrants],
];

/** With `attune install --scylla`. The operator gives agents their rights, so it has them too. */
const ofScylla: [string, readonly Grant[]][] = [
  ["attune-operator, with --scylla", scyllaGrants],
  ["scylla-node-config, of Scylla's agents", scyllaAgentGrants],
];

/** With `attune install --mode hosted`. */
const ofHosted: [string, readonly Grant[]][] = [
  ["attune-management", managementGrants(systemNamespace)],
  [
    "attune-operator, of a hosted cluster",
    hostedOperatorGrants.map((grant) => ({ ...grant, within: "(control plane)" })),
  ],
  ["(kubeconfig of a hosted cluster)", hostedClusterGrants()],
];

/** The rights that the upstream document gives on Tuneds and Profiles. A right on a status counts as one on the object. */
const documented: Record<string, Record<string, string[]>> = {
  "attune-operator": {
    tuneds: ["create", "get", "delete", "list", "update", "watch", "patch"],
    profiles: ["create", "get", "delete", "list", "update", "watch", "patch"],
  },
  "attune-agent": { tuneds: ["get", "list", "watch"], profiles: ["get", "list", "update", "watch", "patch"] },
  "attune-webhook": { tuneds: ["list", "watch"], profiles: ["list", "watch"] },
};

interface PolicySpec {
  matchConstraints: { resourceRules: { resources: string[] }[] };
  validations: { expression: string }[];
}

describe("rights", () => {
  it("are all in docs/rbac.md, each with its reason", async () => {
    await expect(table()).toMatchFileSnapshot("../../docs/rbac.md");
  });

  it.each(accounts)("of %s on Tuneds and Profiles are at most those of the upstream document", (account, grants) => {
    const beyond = grants
      .filter(({ apiGroups }) => apiGroups.includes(group))
      .flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) => {
          const allowed = documented[account]?.[resource.split("/")[0]!] ?? [];
          return verbs.filter((verb) => !allowed.includes(verb)).map((verb) => `${verb} ${resource}`);
        }),
      );
    expect(beyond).toEqual([]);
  });

  it.each([...accounts, ...ofScylla, ...ofHosted])("of %s have no wildcards", (_, grants) => {
    const words = grants.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    expect(words.filter((word) => word.includes("*"))).toEqual([]);
  });

  it.each([
    { mode: "plain", machineConfiguration: true },
    { mode: "tuning", machineConfiguration: false },
  ] as const)("of mode $mode exclude OpenShift's configuration", ({ mode, machineConfiguration }) => {
    const groups = foundation({ mode }).flatMap((role) =>
      ((role as KubeObject & { rules?: { apiGroups: string[] }[] }).rules ?? []).flatMap(({ apiGroups }) => apiGroups),
    );
    expect(groups).toContain(group);
    expect(groups.includes("machineconfiguration.openshift.io")).toBe(machineConfiguration);
    expect(groups).not.toContain("config.openshift.io");
  });

  it("to create, update or delete what configures the API server are limited to names", () => {
    const grants = accounts.flatMap(([, all]) => all);
    const configuring = grants.filter(({ apiGroups }) =>
      ["admissionregistration.k8s.io", "apiextensions.k8s.io", "rbac.authorization.k8s.io"].includes(
        apiGroups[0] ?? "",
      ),
    );
    expect(configuring.filter(({ resourceNames = [] }) => resourceNames.length === 0)).toEqual([]);
    expect(configuring.flatMap(({ verbs }) => verbs)).not.toContain("create");
  });

  it("of the management side to give rights are limited to those of the operators of hosted clusters", () => {
    const giving = managementGrants(systemNamespace).filter(({ apiGroups }) =>
      apiGroups.includes("rbac.authorization.k8s.io"),
    );
    expect(giving.map(({ resources, resourceNames = [] }) => [...resources, ...resourceNames])).toEqual([
      ["rolebindings"],
      ["clusterroles", hostedOperatorRole],
    ]);
    expect(hostedOperatorGrants.flatMap(({ resources }) => resources)).toEqual([
      "configmaps",
      "configmaps/finalizers",
      "events",
      "securitycontextconstraints",
    ]);
  });

  it("to give Scylla's agents theirs are limited to one name, by RBAC or by a policy", () => {
    const giving = scyllaGrants.filter(
      ({ apiGroups, verbs }) => apiGroups.includes("rbac.authorization.k8s.io") && verbs.includes("create"),
    );
    const unlimited = giving.filter(({ resourceNames }) => resourceNames === undefined);
    expect(new Set(unlimited.flatMap(({ verbs }) => verbs))).toEqual(new Set(["create", "patch"]));
    const [policy] = scyllaPolicies(systemNamespace).filter(
      ({ kind, metadata }) => kind === "ValidatingAdmissionPolicy" && metadata.name === "attune-operator-scylla-roles",
    );
    const { matchConstraints, validations } = (policy as KubeObject & { spec: PolicySpec }).spec;
    expect(matchConstraints.resourceRules[0]?.resources.toSorted()).toEqual(
      unlimited.flatMap(({ resources }) => resources).toSorted(),
    );
    expect(validations[0]?.expression).toMatch(/^\(request\.name == 'scylla-node-config' && /);
  });

  it("of the console are none, and its pod has no token", () => {
    const added = installManifests({ console: true });
    const before = new Set(installManifests().map((object) => JSON.stringify(object)));
    const own = added.filter((object) => !before.has(JSON.stringify(object)));
    expect(own.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      ["ServiceAccount", "Service", "NetworkPolicy", "Deployment"].map((kind) => `${kind} attune-console`),
    );
    const [account, , , deployment] = own;
    expect(account).toMatchObject({ automountServiceAccountToken: false });
    const pod = at(deployment, "spec", "template", "spec");
    expect(pod).toMatchObject({ serviceAccountName: "attune-console", automountServiceAccountToken: false });
    expect(JSON.stringify(get(pod, "volumes"))).not.toContain("serviceAccountToken");
  });

  it("are installed with --scylla exactly as in the table; the operator gives agents theirs", () => {
    const rules = (options: InstallOptions): number =>
      foundation(options)
        .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
        .flatMap((role) => (role as KubeObject & { rules: object[] }).rules).length;
    expect(rules({ scylla: true }) - rules({})).toBe(scyllaGrants.length);
  });

  it("are installed exactly as in the table", () => {
    const installed = foundation({ protocol: "shipped", firstBoot: "https://x" }).filter(
      ({ kind }) => kind === "Role" || kind === "ClusterRole",
    );
    const rules = installed.flatMap((role) => (role as KubeObject & { rules: object[] }).rules);
    expect(rules).toHaveLength(accounts.flatMap(([, grants]) => grants).length);
  });
});

function table(): string {
  const rows = [...accounts, ...ofScylla, ...ofHosted].flatMap(([account, grants]) =>
    grants.map(({ within = "(cluster)", apiGroups, resources, resourceNames = [], verbs, because }) => {
      const what = resources.map((resource) => `${resource}${apiGroups[0] ? `.${apiGroups[0]}` : ""}`).join(", ");
      const names = resourceNames.length > 0 ? ` \`${resourceNames.join(", ")}\`` : "";
      return `| ${account} | ${within} | ${what}${names} | ${verbs.join(", ")} | ${because} |`;
    }),
  );
  return `# What Attune may do on a cluster

All rights of all ServiceAccounts. \`test/install/rights-table.test.ts\` generates this file from the manifests.
\`test/node-tuning/rights.test.ts\`, \`test/webhook/rights.test.ts\`, \`test/agent/rights.test.ts\` and \`test/hosted/management-rights.test.ts\`
show that the operator, the webhook, the agents and the management side work with these rights on every server, and that they need each of them. A ValidatingAdmissionPolicy limits an agent to its own node, which its token names
(\`test/node-tuning/own-node.test.ts\`). \`watch\` comes with \`list\`, for API servers that cannot stream the initial list.

| account | where | what | verbs | why |
|---|---|---|---|---|
${rows.join("\n")}

On Tuneds and Profiles these are fewer rights than the upstream document lists: no account updates or deletes a Tuned,
agents read no Tuneds, and the operator never writes the status of a Profile. Agents get the row on \`nodes\` only with
\`attune install --protocol shipped\`. With \`attune install --mode plain\` no account has rights on OpenShift's
configuration, with \`--mode tuning\` none on machine configuration either. \`attune install\` creates the webhook's configuration and Secret empty, so that the webhook needs no
right to create any. No account has the role \`attune:first-boot-issuer\`: it is there for users to bind
(\`test/first-boot/rights.test.ts\`).

## What a stolen token can do

| token of | it can | it cannot |
|---|---|---|
| attune-operator | be root on every node: it writes the DaemonSet of the agents, which are privileged, and Tuneds and MachineConfigs | be contained by RBAC: root on a control plane node is root of the cluster |
| attune-agent | read all Profiles, and report a wrong status of its own node | write anything about another node (a ValidatingAdmissionPolicy) |
| attune-webhook | refuse or delay writes of Tuneds and PerformanceProfiles, read them, write events, and change PerformanceProfiles of older versions while it converts them; change pods that ask for partitioning or belong to Scylla databases; read its own keys | change Tuneds, receive objects of other kinds, Secrets among them, or change the schema of a CRD (a ValidatingAdmissionPolicy, \`test/webhook/rights.test.ts\`) |
| attune-console | nothing: the account has no rights, and its pod no token. Who takes over the console sees the tokens that its users send from then on | do anything itself |
| attune-management | be root on every node of every hosted cluster, and read all Secrets of the management cluster, among them kubeconfigs of hosted clusters | give others more than operators of hosted clusters have |
| attune-operator, of a hosted cluster | change the tuning of this hosted cluster; with the kubeconfig beside it, all of this hosted cluster | read or write anything else in the management cluster |
| a machine's first boot | read the config of one pool, once | use the API server, or be answered after another client has used it |

On clusters without ValidatingAdmissionPolicy (before Kubernetes 1.30) the last column does not hold for agents and the webhook: with
\`patch\` on its own configuration, the webhook can have the API server send it every object that is written.
`;
}
