import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brokenLines, expectAnswer, Newcomer } from "./newcomer.ts";
import { type Screen, tmux } from "./screen.ts";

/** Of a laptop, and of half of a wide screen. */
const widths = [80, 140];

/** For nodes with a label: what a newcomer writes first. */
const tuned = (value: number): string => `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata:
  name: database
  namespace: openshift-cluster-node-tuning-operator
spec:
  profile:
    - name: database
      data: |
        [main]
        summary=Write dirty pages early
        include=openshift-node
        [sysctl]
        vm.dirty_background_bytes=${value}
  recommend:
    - profile: database
      priority: 5
      match:
        - label: example.com/database
`;

const topology = `groups:
  - name: rt-{}
    count: 2
    cpus: 16
    memory: 32Gi
    sockets: 2
    threadsPerCore: 2
    pool: low-latency
`;

describe.skipIf(!tmux)("on a system that runs here", () => {
  let newcomer: Newcomer;
  let system: Screen;
  let exportLine: string;
  beforeAll(async () => {
    newcomer = await Newcomer.sitDown();
    await newcomer.save("database.yaml", tuned(67108864));
    system = await newcomer.start("attune up --mode standalone --nodes 2");
    [exportLine = ""] = /export KUBECONFIG=\S+/.exec(await system.shows(/export/)) ?? [];
  });
  afterAll(() => newcomer?.leave());

  it("attune up says what to do next, in lines that are whole", async () => {
    const text = await system.shows(/press Ctrl-C to stop; the objects are kept for the next start/);
    expect(text).toMatch(/\ntry +in another terminal:\n +export KUBECONFIG=\$HOME\/\S+\n +attune status\n/);
    const lines = text.split("\n").filter((line) => !/^\d+:\d+>/.test(line));
    expect(brokenLines({ lines, text, exit: 0 }, 80)).toEqual([]);
  });

  describe.each(widths)("at %i columns", (columns) => {
    let screen: Screen;
    beforeAll(async () => {
      screen = await newcomer.open(columns);
    });
    const expectScreen = async (command: string, answers: (string | RegExp)[], exit = 0): Promise<void> =>
      expectAnswer(await screen.run(command), columns, answers, exit);

    it("1: sysctls by label", async () => {
      await expectScreen("attune --help", ["To begin: attune up", "status show whether every node is as wanted"]);
      // Without a kubeconfig: the system that runs is found, and named.
      await expectScreen("attune status", [
        /cluster: that of attune up, in \S+standalone/,
        "All 2 nodes are as wanted",
      ]);
      await screen.run(exportLine);
      await expectScreen("kubectl label node node-2 example.com/database=", ["node/node-2 labeled"]);
      await expectScreen("kubectl apply -f database.yaml", ["database created"]);
      expectAnswer(await screen.until("attune status", /All 2 nodes are as wanted[^]*database/), columns, ["node-2"]);
      await expectScreen("attune lab read node-2 /proc/sys/vm/dirty_background_bytes", [/^67108864$/]);
      await expectScreen("attune explain tuned database", [
        "in force on node-2",
        "label example.com/database is missing",
      ]);
    });

    it("2: why this value", async () => {
      await expectScreen("attune explain node node-2 vm.dirty_background_bytes", [
        "the node has label example.com/database",
        "database/tuned.conf:5",
        "Tuned database",
        "✓ the node has it",
      ]);
      await expectScreen("attune explain node node-1 vm.swappiness", [/vm\.swappiness (= )?11/, "instead of 10"]);
      await expectScreen("attune explain node node-1 vm.swapiness", ["did you mean vm.swappiness?"], 1);
      await expectScreen("attune explain node node-2", ["Rules, in the order in which they are tried", "→"]);
    });

    it("3: what if", async () => {
      await newcomer.save("database.yaml", tuned(1048576));
      await expectScreen(
        "attune plan -f database.yaml",
        [
          "Node node-2: profile database changes",
          /vm\.dirty_background_bytes .*67108864.* 1048576/,
          "1 of 2 nodes change; none reboots. Nothing has been changed.",
        ],
        2,
      );
      await expectScreen(
        "attune plan --delete -f database.yaml",
        ["would be deleted", "profile database → quiet-memory", "1 to delete", "Nothing has been changed."],
        2,
      );
      // Back to the beginning: the other width starts there.
      await newcomer.save("database.yaml", tuned(67108864));
      await expectScreen("kubectl delete -f database.yaml", ["deleted"]);
      await expectScreen("kubectl label node node-2 example.com/database-", ["node/node-2 unlabeled"]);
      expectAnswer(await screen.until("attune status", /All 2 nodes are as wanted(?![^]*database)/), columns, []);
    });

    it.each<[string, string, Record<string, string>, string | RegExp]>([
      ["a misspelt command", "attune explian node node-1", {}, "Did you mean explain?"],
      ["a misspelt flag", "attune status --wach", {}, "Did you mean --watch?"],
      [
        "a command that is not finished",
        "attune explain node",
        {},
        "usage: attune explain <kind> <name> [option] such as: attune explain node worker-1",
      ],
      ["a file that is not there", "attune plan -f gone.yaml", {}, 'the path "gone.yaml" does not exist'],
      ["a folder without manifests", "attune plan -f bin", {}, "bin: has no file that ends in .yaml, .yml or .json"],
      ["a file that is no YAML", "attune plan -f bad.yaml", { "bad.yaml": "kind: [\n" }, /bad\.yaml: line \d/],
      [
        "a field of another type",
        "attune plan -f bad.yaml",
        { "bad.yaml": tuned(1).replace("priority: 5", "priority: high") },
        /recommend\[0\]\.priority.*integer/,
      ],
      ["a node that is not there", "attune explain node nod-1", {}, 'nodes "nod-1" not found; did you mean node-1'],
      [
        "a cluster that does not answer",
        "attune status --kubeconfig dead",
        { dead: deadKubeconfig },
        "cannot reach the API server at 127.0.0.1:1: connection refused",
      ],
    ])("8: answers %s", async (_, command, files, answer) => {
      for (const [name, text] of Object.entries(files)) await newcomer.save(name, text);
      const shown = await screen.run(command);
      expectAnswer(shown, columns, [answer], 1);
      expect(shown.text).not.toMatch(/\n\s+at /);
    });

    it("8: shows as a finding what the webhook would not refuse", async () => {
      await newcomer.save("bad.yaml", tuned(1).replace("include=openshift-node", "include=openshift-nod"));
      const shown = await screen.run("attune plan -f bad.yaml");
      expectAnswer(shown, columns, ["Findings", 'profile "openshift-nod" does not exist'], shown.exit);
    });
  });

  it("7: a restart keeps what the user has changed", async () => {
    const screen = await newcomer.open(80);
    await screen.run(exportLine);
    const patch = `'{"spec":{"profile":[{"name":"quiet-memory","data":"[main]\\ninclude=openshift-node\\n[sysctl]\\nvm.swappiness=17\\n"}]}}'`;
    const namespace = "-n openshift-cluster-node-tuning-operator";
    await screen.run(`kubectl ${namespace} patch tuned quiet-memory --type merge -p ${patch}`);
    await screen.until("attune lab read node-1 /proc/sys/vm/swappiness", /^17$/);
    await system.press("C-c");
    await system.shows(/\d+:0>$/);
    expectAnswer(await screen.run("attune status"), 80, ["cannot reach the API server", "connection refused"], 1);
    await system.start("clear; attune up --mode standalone --nodes 2");
    await system.shows(/node-1 +quiet-memory +True +False +17[^]*press Ctrl-C to stop/);
    expectAnswer(await screen.run("attune explain node node-1 vm.swappiness"), 80, ["vm.swappiness", "17", "✓"]);
  });
});

const deadKubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "a",
  clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "a", user: { token: "t" } }],
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
});

describe.skipIf(!tmux)("4: a profile for two-socket nodes from a topology, in three commands", () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.sitDown();
    await newcomer.save("nodes.yaml", topology);
    await newcomer.start("attune up --topology nodes.yaml");
  });
  afterAll(() => newcomer?.leave());

  it.each(widths)("at %i columns", async (columns) => {
    const screen = await newcomer.open(columns);
    const create =
      "attune profile create --mcp-name low-latency --reserved-cpu-count 4 --rt-kernel=false --split-reserved-cpus-across-numa";
    const made = await screen.until(`${create} > profile.yaml && grep -A2 cpu: profile.yaml`, /reserved/);
    expectAnswer(made, columns, ['isolated: "1-3,5-7,9-11,13-15"', 'reserved: "0,4,8,12"']);
    expectAnswer(
      await screen.run("attune plan -f profile.yaml"),
      columns,
      [
        "+ PerformanceProfile performance would be created",
        "Boot arguments of the pool low-latency",
        "2 of 2 nodes change; 2 reboot.",
        "Nothing has been changed.",
      ],
      2,
    );
  });
});

describe.skipIf(!tmux)("5: one host with attune tuned", () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.sitDown();
    // The kernel of this machine is not the test's to change.
    for (const [path, text] of Object.entries(hostFiles)) {
      await mkdir(dirname(join(newcomer.home, "host", path)), { recursive: true });
      await writeFile(join(newcomer.home, "host", path), text);
    }
  });
  afterAll(() => newcomer?.leave());

  it.each(widths)("at %i columns", async (columns) => {
    const screen = await newcomer.open(columns);
    const expectScreen = async (command: string, answers: (string | RegExp)[], exit = 0): Promise<void> =>
      expectAnswer(await screen.run(`attune tuned ${command} --root host`), columns, answers, exit);
    await expectScreen("list", ["latency-performance", "SUMMARY"]);
    await expectScreen("resolve latency-performanc", ["did you mean latency-performance?"], 1);
    await expectScreen("resolve latency-performance", [
      /vm\.swappiness (= )?10 \S*latency-performance\/tuned\.conf:\d+/,
    ]);
    await expectScreen("active", ["No current active profile."], 1);
    await expectScreen("apply own", [/set +sysctl +vm\.swappiness 5 60/, "own: 1 set"]);
    await expectScreen("verify own", ["own: verified, no differences"]);
    await expectScreen("active", ["Current active profile: own", "applied by: attune tuned apply"]);
    await writeFile(join(newcomer.home, "host/proc/sys/vm/swappiness"), "30\n");
    await expectScreen("verify own", ["changed by", "own: 1 difference"], 1);
    await expectScreen("rollback", [/restored .*swappiness.* 60/]);
    await expectScreen("rollback", ["nothing to roll back"]);
    await writeFile(join(newcomer.home, "host/proc/sys/vm/swappiness"), "60\n");
  });
});

const hostFiles = {
  "proc/sys/kernel/random/boot_id": "boot-1\n",
  "proc/sys/vm/swappiness": "60\n",
  "etc/tuned/own/tuned.conf": "[main]\nsummary=Of this host\n[sysctl]\nvm.swappiness=5\n",
};

describe.skipIf(!tmux)("6: install, look, uninstall", () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.sitDown();
    const server = await newcomer.open(80);
    await server.start("attune apiserver --dir ./server");
    await server.shows(/^ready /m);
    const lab = await newcomer.open(80);
    await lab.start("attune lab --kubeconfig ./server/kubeconfig --nodes 2");
    await lab.shows(/2 of 2 nodes ready/);
  });
  afterAll(() => newcomer?.leave());

  it.each(widths)("at %i columns", async (columns) => {
    const screen = await newcomer.open(columns);
    const expectScreen = async (command: string, answers: (string | RegExp)[], exit = 0): Promise<void> =>
      expectAnswer(await screen.run(command), columns, answers, exit);
    await expectScreen("attune status", ["no cluster: run attune up, or pass --kubeconfig"], 1);
    await screen.run("export KUBECONFIG=./server/kubeconfig");
    await expectScreen("attune status", [
      "Attune is not installed in this cluster: attune install --apply installs it",
    ]);
    await expectScreen("attune explain node node-1", ["install Attune first: attune install --apply"], 1);
    await expectScreen("attune install --apply --dry-run", ["created (dry run)", "Nothing has been changed."]);
    await expectScreen("attune install --apply", [
      "Deployment attune-system/attune-operator created",
      "What becomes of the nodes: attune status -w",
    ]);
    expectAnswer(await screen.until("attune status", /All 2 nodes are as wanted\n/), columns, [
      "Agents: 2 of 2 are available",
    ]);
    await expectScreen("attune uninstall --dry-run", ["2 nodes rolled back (dry run)"]);
    await expectScreen("attune uninstall", ["2 nodes rolled back; nothing of Attune remains on them"]);
    await expectScreen("attune status", ["Attune is not installed in this cluster"]);
    await expectScreen("attune uninstall", ["Nothing to do: the cluster has no objects of Attune"]);
  });
});
