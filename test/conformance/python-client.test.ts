import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { kubectlPath } from "./kubectl.ts";
import { onEachServer } from "./on-each-server.ts";
import { widgetDefinition } from "./widget-definition.ts";

const python = process.env.ATTUNE_PYTHON ?? "/usr/bin/python3";
const present = kubectlPath && spawnSync(python, ["-c", "import kubernetes"]).status === 0 ? python : undefined;

function run(kubeconfig: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [join(import.meta.dirname, "python-client.py"), kubeconfig]);
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`python: exit code ${code}\n${out}\n${err}`)),
    );
  });
}

onEachServer(
  "the Python client",
  (cluster) => {
    let answers: Map<string, unknown>;

    beforeAll(async () => {
      const { kubectl } = cluster;
      await kubectl.out("create -f -", { stdin: JSON.stringify(widgetDefinition) });
      await kubectl.out("wait --for=condition=Established crd/widgets.shop.example --timeout=30s");
      const lines = (await run(cluster.server.kubeconfig)).trim().split("\n");
      answers = new Map(
        lines
          .map((line) => JSON.parse(line) as { step: string; value: unknown })
          .map(({ step, value }) => [step, value]),
      );
    });

    const steps: [string, unknown][] = [
      ["create", ["py", { a: "1" }, true]],
      ["create again", [409, "AlreadyExists", 'configmaps "py" already exists']],
      ["read what is not there", [404, "NotFound", 'configmaps "none" not found']],
      ["list", ["py"]],
      ["merge patch", { a: "1", b: "2" }],
      ["strategic patch", { b: "2" }],
      ["json patch", { b: "2", c: "3" }],
      [
        "replace a stale copy",
        [
          409,
          "Conflict",
          'Operation cannot be fulfilled on configmaps "py": the object has been modified; please apply your changes to the latest version and try again',
        ],
      ],
      ["replace", { b: "2", c: "3", d: "4", e: "5" }],
      ["delete", ["Success", "py-2", "configmaps"]],
      [
        "watch from a version",
        [
          ["ADDED", "py-2"],
          ["MODIFIED", "py-2"],
          ["DELETED", "py-2"],
        ],
      ],
      ["pages", [["page-0", "page-1"], ["page-2", "page-3"], ["page-4"]]],
      ["delete collection", 0],
      ["custom create", { size: "small", replicas: 1 }],
      ["custom patch", { size: "small", replicas: 2 }],
      [
        "custom invalid",
        [
          422,
          "Invalid",
          'Widget.shop.example "py" is invalid: spec.replicas: Invalid value: 99: spec.replicas in body should be less than or equal to 10',
        ],
      ],
      ["custom list", ["py"]],
      ["custom delete", "Success"],
      ["may read pods", true],
      ["version", "1"],
    ];
    it.each(steps)("%s", (step, value) => {
      expect(answers.get(step)).toEqual(value);
    });
  },
  { program: present },
);
