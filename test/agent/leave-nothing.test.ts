import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { agentEnvironment } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { apiVersion, profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { Program, type Run } from "../../src/program/cli/testing/program.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { treeOf } from "./testing/tree.ts";

/** Settings of the kernel, files in folders that exist and in folders that do not, boot arguments, and a script. */
const profile = `[sysctl]
vm.swappiness=10
[modules]
example=+r a=1
[bootloader]
cmdline=quiet
[script]
script=\${i:PROFILE_DIR}/script.sh
`;
/** As the DaemonSet starts it. */
const environment = {
  CLUSTER_NODE_TUNED_IMAGE: "attune:test",
  ...Object.fromEntries(agentEnvironment.map(({ name, value }) => [name, value])),
};

describe("an agent that has rolled back", () => {
  let attune: Program;
  let server: ServerUnderTest;
  let admin: HttpClient;

  beforeAll(async () => {
    [attune, server] = await Promise.all([Program.build(), startEmbeddedServer()]);
    admin = clientFor(server);
    for (const crd of nodeTuningCrds) await admin.create(kinds.customResourceDefinition, crd);
    await admin.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await eventually("Profiles are served", () => admin.list(profileKind, { namespace }));
  });
  afterAll(async () => {
    await attune?.remove();
    await server?.close();
  });

  async function rootWith(files: Readonly<Record<string, string>>): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), "attune-root-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return root;
  }

  const node = {
    "/proc/sys/kernel/random/boot_id": "boot-1\n",
    "/proc/sys/vm/swappiness": "60",
    "/proc/cmdline": "\n",
    "/etc/grub.d/00_tuned": "",
    "/var/lib/dpkg/status": "",
    "/run/utmp": "",
  };

  async function tuned(name: string, root: string, data: string): Promise<Run> {
    const spec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data }] };
    await admin.create(
      profileKind,
      { apiVersion, kind: "Profile", metadata: { name, namespace }, spec },
      { namespace },
    );
    const words = ["agent", "--node", name, "--root", root, "--engine", "native", "--kubeconfig", server.kubeconfig];
    const agent = attune.start(words, environment);
    await eventually("it is tuned", async () => {
      const { status } = await admin.get(profileKind, name, { namespace });
      return isTrue(status?.conditions, "Applied") || isTrue(status?.conditions, "Degraded");
    });
    return agent;
  }

  test("leaves the node as it was, folders included", async () => {
    const root = await rootWith(node);
    const before = await treeOf(root);
    const agent = await tuned("all", root, profile);
    const during = await treeOf(root);
    // Otherwise the comparison would show nothing.
    expect([...during.keys()].filter((path) => !before.has(path))).toEqual(
      expect.arrayContaining([
        "/etc/modprobe.d/tuned.conf",
        "/etc/tuned/bootcmdline",
        "/etc/tuned",
        "/var/lib/attune/journal.json",
        "/var/lib/attune/tuning.json",
        "/var/lib/ocp-tuned/image.env",
      ]),
    );
    await admin.delete(profileKind, "all", { namespace });
    expect(await agent.stop("SIGTERM")).toMatchObject({ code: 0 });
    expect(await treeOf(root)).toEqual(before);
  });

  test("keeps files of others in its folders, and names them", async () => {
    const root = await rootWith(node);
    const agent = await tuned("others", root, profile);
    for (const path of ["/var/lib/attune/notes.txt", "/etc/modprobe.d/mine.conf"])
      await writeFile(join(root, path), "mine");
    await admin.delete(profileKind, "others", { namespace });
    const { stderr } = await agent.stop("SIGTERM");
    const left = [...(await treeOf(root)).keys()].filter((path) => !(path in node));
    expect(left.filter((path) => !Object.keys(node).some((file) => file.startsWith(`${path}/`)))).toEqual([
      "/etc/modprobe.d",
      "/etc/modprobe.d/mine.conf",
      "/var/lib/attune",
      "/var/lib/attune/notes.txt",
    ]);
    expect(stderr).toContain('"left":["/var/lib/attune/notes.txt"]');
  });

  test("leaves nothing where it was only restarted before, and its folders while it is tuned", async () => {
    const root = await rootWith(node);
    const before = await treeOf(root);
    const first = await tuned("again", root, profile);
    await first.stop("SIGTERM");
    expect([...(await treeOf(root)).keys()]).toContain("/var/lib/attune/journal.json");
    const words = ["agent", "--node", "again", "--root", root, "--engine", "native", "--rollback-on-exit"];
    const second = attune.start([...words, "--kubeconfig", server.kubeconfig], environment);
    await second.printed(/profile applied/, "stderr");
    await second.stop("SIGTERM");
    expect(await treeOf(root)).toEqual(before);
  });
});
