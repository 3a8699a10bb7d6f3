import { describe, expect, it } from "vitest";
import { agentGrants } from "../../src/program/agent/rbac.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { group } from "../../src/domain/node-tuning/api.ts";
import type { Grant } from "../../src/language/object/grant.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { operatorGrants, systemNamespace } from "../../src/program/operator/rbac.ts";
import { webhookGrants } from "../../src/program/webhook/rbac.ts";

const accounts: [string, readonly Grant[]][] = [
  ["attune-operator", operatorGrants],
  ["attune-agent", agentGrants("shipped")],
  ["attune-webhook", webhookGrants(systemNamespace)],
];

/** What the document on node tuning gives whom, on its own kinds. Rights on a status are counted as those on the object. */
const documented: Record<string, Record<string, string[]>> = {
  "attune-operator": {
    tuneds: ["create", "get", "delete", "list", "update", "watch", "patch"],
    profiles: ["create", "get", "delete", "list", "update", "watch", "patch"],
  },
  "attune-agent": { tuneds: ["get", "list", "watch"], profiles: ["get", "list", "update", "watch", "patch"] },
  "attune-webhook": { profiles: ["list", "watch"] },
};

describe("rights", () => {
  it("are all in the table, each with its reason", async () => {
    await expect(table()).toMatchFileSnapshot("../../docs/rbac.md");
  });

  it.each(accounts)("of %s on Tuneds and Profiles are at most those of their document", (account, grants) => {
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

  it.each(accounts)("of %s name what they are about", (_, grants) => {
    const words = grants.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    expect(words.filter((word) => word.includes("*"))).toEqual([]);
  });

  it("that are installed are those of the table", () => {
    const installed = foundation({ protocol: "shipped" }).filter(
      ({ kind }) => kind === "Role" || kind === "ClusterRole",
    );
    const rules = installed.flatMap((role) => (role as KubeObject & { rules: object[] }).rules);
    expect(rules).toHaveLength(accounts.flatMap(([, grants]) => grants).length);
  });
});

function table(): string {
  const rows = accounts.flatMap(([account, grants]) =>
    grants.map(({ within = "(cluster)", apiGroups, resources, resourceNames = [], verbs, because }) => {
      const what = resources.map((resource) => `${resource}${apiGroups[0] ? `.${apiGroups[0]}` : ""}`).join(", ");
      const names = resourceNames.length > 0 ? ` \`${resourceNames.join(", ")}\`` : "";
      return `| ${account} | ${within} | ${what}${names} | ${verbs.join(", ")} | ${because} |`;
    }),
  );
  return `# What Attune may do on a cluster

All rights of all accounts, made from the manifests by \`test/install/rights-table.test.ts\`. Those of the operator are
proven twice: it works under them on each server, and every one is needed (\`test/node-tuning/rights.test.ts\`). That an
agent writes of its own node only is held by a ValidatingAdmissionPolicy on the node its token was made for
(\`test/node-tuning/own-node.test.ts\`). \`list\` goes with \`watch\`: servers that cannot stream a list are asked for one.

| account | where | what | verbs | why |
|---|---|---|---|---|
${rows.join("\n")}

On Tuneds and Profiles these are fewer than the document on node tuning lists: nobody updates or deletes a Tuned, agents
read no Tuneds, and the operator never writes the status of a Profile. The row on \`nodes\` of the agents is there with
\`attune install --protocol shipped\` only.
`;
}
