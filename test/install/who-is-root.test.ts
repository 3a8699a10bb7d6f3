import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation, type InstallOptions, installManifests } from "../../src/program/cli/install/manifests.ts";
import { operatorFlags } from "../../src/program/cli/flags.ts";
import { runOperatorWith } from "../../src/program/cli/operator/run-operator.ts";
import { parseArguments } from "../../src/program/cli/option/flag.ts";
import { root } from "../architecture/imports.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";

const text = readFileSync(join(root, "docs/who-is-root.md"), "utf8");
/** The objects of docs/who-is-root.md. */
const documented = Array.from(text.matchAll(/^ {3}```yaml\n([^]*?)^ {3}```$/gm), ([, block = ""]) =>
  block.replaceAll(/^ {3}/gm, ""),
)
  .flatMap((block) => block.split(/^---\n/m))
  .map((document) => readYaml(document) as KubeObject);

const tuned = (name: string, data: string): KubeObject => ({
  apiVersion: tunedKind.apiVersion,
  kind: "Tuned",
  metadata: { name, namespace },
  spec: { profile: [{ name, data }], recommend: [] },
});

describe.each(emptyServers())("on the $name server", (variant) => {
  let server: ServerUnderTest;
  let admin: HttpClient;
  let author: HttpClient;

  beforeAll(async () => {
    server = await variant.start();
    admin = clientFor(server);
    author = admin.as({ user: "ann", groups: ["tuned-authors", "system:masters"] });
    await applyManifests(admin, foundation());
    for (const kind of [tunedKind, profileKind]) await eventually("served", () => admin.list<KubeObject>(kind));
  });
  afterAll(() => server?.close());

  it("the documented objects are valid, and the policy admits what it says and nothing else", async () => {
    expect(documented.map(({ kind }) => kind)).toEqual([
      "Role",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
    ]);
    await applyManifests(admin, documented);
    const write = (client: HttpClient, name: string, data: string): Promise<unknown> =>
      client.create<KubeObject>(tunedKind, tuned(name, data), { namespace, dryRun: true });
    const harmful = "[main]\nsummary=x\n[script]\nscript=x.sh\n";
    // A policy takes effect a moment after it is written.
    await eventually("the policy", () =>
      write(author, "early", harmful).then(
        () => false,
        () => true,
      ),
    );
    await write(author, "good", "[main]\nsummary=a database\ninclude=openshift-node\n\n[sysctl]\nvm.swappiness = 11\n");
    await write(admin, "ours", harmful);
    for (const [index, data] of [
      harmful,
      "[main]\nsummary=x\n[sysctl]\nvm.swappiness=${f:exec:id}\n",
      "[main]\nsummary=x\n[s]\ntype=script\nscript=x.sh\n",
      "[main]\nsummary=x\n[sysctl]\nkernel.core_pattern=|/bin/sh\n",
      "[main]\nsummary=x\n[modules]\nevil=\n",
      "[main]\nsummary=x\n[bootloader]\ncmdline=init=/bin/sh\n",
    ].entries())
      await expect(write(author, `bad-${index}`, data)).rejects.toThrow("profiles may");
  });

  it("the operator tells its agents what to run, and to take boot arguments from MachineConfigs where it rolls them out", async () => {
    const commandWith = async (...args: string[]): Promise<string> => {
      const stop = new AbortController();
      const flags = parseArguments(operatorFlags, ["--no-leader-election", ...args], {});
      const operator = runOperatorWith(flags, {}, { client: admin, signal: stop.signal });
      try {
        return await eventually("the DaemonSet", async () => {
          const daemonSet = await admin.get<KubeObject>(kinds.daemonSet, agentDaemonSetName, { namespace });
          const { template } = daemonSet["spec"] as { template: { spec: { containers: { command: string[] }[] } } };
          return template.spec.containers[0]?.command.join(" ");
        });
      } finally {
        stop.abort();
        await operator;
        await admin.delete(kinds.daemonSet, agentDaemonSetName, { namespace });
      }
    };
    const agent = "attune agent --node $(NODE_NAME) --root /host --probe-address 127.0.0.1:19257";
    expect(await commandWith()).toBe(agent);
    expect(await commandWith("--agent-exec", "builtin")).toBe(`${agent} --exec builtin`);
    await applyManifests(admin, machineConfigCrds);
    expect(await commandWith("--mode", "tuning")).toBe(agent);
    expect(await commandWith("--mode", "standalone", "--agent-exec", "none")).toBe(
      `${agent} --exec none --boot-arguments report --machine-config`,
    );
  });
});

it("attune install passes --agent-exec and --agent-mounts to the operator", () => {
  const argsOf = (objects: KubeObject[]): string[] =>
    objects.flatMap(({ kind, metadata, spec }) =>
      kind === "Deployment" && metadata.name === "attune-operator"
        ? ((spec as { template: { spec: { containers: { args: string[] }[] } } }).template.spec.containers[0]?.args ??
          [])
        : [],
    );
  const args = (options: InstallOptions): string => argsOf(installManifests(options)).join(" ");
  expect(args({})).toContain(" --agent-exec allow --agent-mounts follow");
  expect(args({ agentExec: "none" })).toContain(" --agent-exec none --agent-mounts follow");
  expect(args({ agentMounts: "fixed" })).toContain(" --agent-exec allow --agent-mounts fixed");
});
