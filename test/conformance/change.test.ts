import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { widget, widgetDefinition } from "./widget-definition.ts";

const configMap = (name: string, data: Record<string, string> = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

onEachServer("changing", (cluster) => {
  const make = (stdin: string): Promise<string> => cluster.kubectl.out("create -f -", { stdin });

  beforeAll(async () => {
    await make(JSON.stringify(widgetDefinition));
    await cluster.kubectl.out("wait --for=condition=Established crd/widgets.shop.example --timeout=30s");
  });

  it("labels, refuses to overwrite without --overwrite, and removes", async () => {
    const { kubectl } = cluster;
    await make(configMap("labelled"));
    await kubectl.prints("label configmap labelled a=1 b=2", "configmap/labelled labeled");
    await kubectl.refuses(
      "label configmap labelled a=3",
      "error: 'a' already has a value (1), and --overwrite is false",
    );
    await kubectl.prints("label configmap labelled a=3 b- --overwrite", "configmap/labelled labeled");
    await kubectl.prints("get configmap labelled -o jsonpath={.metadata.labels}", '{"a":"3"}');
    await kubectl.prints("label configmap labelled a=3 --overwrite", "configmap/labelled not labeled");
    await kubectl.prints("label configmap labelled c-", 'label "c" not found.\nconfigmap/labelled not labeled');
    await kubectl.prints("label configmap labelled --list", "a=3");
    await kubectl.refuses("label configmap labelled 'x=not good'", /invalid label value: "x=not good"/);
    await kubectl.prints("label configmaps -l a=3 d=4", "configmap/labelled labeled");
  });

  it("annotates, refuses to overwrite without --overwrite, and removes", async () => {
    const { kubectl } = cluster;
    await make(configMap("noted"));
    await kubectl.prints("annotate configmap noted example.com/why='two words'", "configmap/noted annotated");
    await kubectl.refuses(
      "annotate configmap noted example.com/why=x",
      /--overwrite is false but found the following declared annotation\(s\): 'example\.com\/why' already has a value \(two words\)/,
    );
    await kubectl.prints("annotate configmap noted example.com/why=x --overwrite", "configmap/noted annotated");
    await kubectl.prints("get configmap noted -o jsonpath={.metadata.annotations}", '{"example.com/why":"x"}');
    await kubectl.prints("annotate configmap noted example.com/why-", "configmap/noted annotated");
    await kubectl.prints("get configmap noted -o jsonpath={.metadata.annotations}", "");
  });

  it("patches with JSON patch", async () => {
    const { kubectl } = cluster;
    await make(configMap("json-patched", { a: "1", "x-y": "2" }));
    const patch = (operations: object[]): string =>
      `patch configmap json-patched --type=json -p '${JSON.stringify(operations)}'`;
    await kubectl.prints(
      patch([
        { op: "test", path: "/data/a", value: "1" },
        { op: "replace", path: "/data/a", value: "2" },
        { op: "move", from: "/data/x-y", path: "/data/b" },
        { op: "copy", from: "/data/b", path: "/data/c" },
      ]),
      "configmap/json-patched patched",
    );
    await kubectl.prints("get configmap json-patched -o jsonpath={.data}", '{"a":"2","b":"2","c":"2"}');
    await kubectl.prints(patch([{ op: "remove", path: "/data/c" }]), "configmap/json-patched patched");
    await kubectl.refuses(
      patch([{ op: "test", path: "/data/a", value: "1" }]),
      "The request is invalid: the server rejected our request due to an error in our request",
    );
    await kubectl.refuses(
      patch([{ op: "remove", path: "/data/none" }]),
      "The request is invalid: the server rejected our request due to an error in our request",
    );
    await kubectl.refuses(
      patch([{ op: "replace", path: "/metadata/name", value: "z" }]),
      "Error from server (BadRequest): the name of the object (z) does not match the name on the URL (json-patched)",
    );
  });

  it("patches with merge patch, where null removes", async () => {
    const { kubectl } = cluster;
    await make(configMap("merged", { a: "1", b: "2" }));
    await kubectl.prints(
      `patch configmap merged --type=merge -p '{"data":{"a":null,"c":"3"}}'`,
      "configmap/merged patched",
    );
    await kubectl.prints("get configmap merged -o jsonpath={.data}", '{"b":"2","c":"3"}');
    await kubectl.prints(
      `patch configmap merged --type=merge -p '{"data":{"c":"3"}}'`,
      "configmap/merged patched (no change)",
    );
    await kubectl.refuses(
      `patch configmap merged --type=merge -p '{"data":{"c":3}}'`,
      /cannot unmarshal number into Go struct field ConfigMap\.data of type string/,
    );
    await kubectl.refuses(
      `patch configmap merged --type=merge -p '{"metadata":{"resourceVersion":"1"}}'`,
      'Error from server (Conflict): Operation cannot be fulfilled on configmaps "merged": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  it("patches strategically: by merge key, with directives", async () => {
    const { kubectl } = cluster;
    await make(
      JSON.stringify({
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "patched" },
        spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
      }),
    );
    await make(
      JSON.stringify({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "strategic" },
        spec: {
          selector: { matchLabels: { k: "v" } },
          template: {
            metadata: { labels: { k: "v" } },
            spec: {
              containers: [
                { name: "a", image: "a:1" },
                { name: "b", image: "b:1" },
              ],
            },
          },
        },
      }),
    );
    const images =
      "get daemonset strategic -o 'jsonpath={range .spec.template.spec.containers[*]}{.name}={.image} {end}'";
    const patch = (containers: object[]): string =>
      `patch daemonset strategic -p '${JSON.stringify({ spec: { template: { spec: { containers } } } })}'`;
    await kubectl.prints(patch([{ name: "b", image: "b:2" }]), "daemonset.apps/strategic patched");
    await kubectl.prints(images, "a=a:1 b=b:2");
    await kubectl.prints(patch([{ name: "c", image: "c:1" }]), "daemonset.apps/strategic patched");
    await kubectl.prints(images, "c=c:1 a=a:1 b=b:2");
    await kubectl.prints(patch([{ $patch: "delete", name: "a" }]), "daemonset.apps/strategic patched");
    await kubectl.prints(images, "c=c:1 b=b:2");
    await kubectl.prints(
      patch([{ $patch: "replace" }, { name: "z", image: "z:1" }]),
      "daemonset.apps/strategic patched",
    );
    await kubectl.prints(images, "z=z:1");
    // Taints merge by no key on a strategic patch: the list is replaced.
    await kubectl.prints(
      `patch node patched -p '{"spec":{"taints":[{"key":"b","effect":"NoExecute"}]}}'`,
      "node/patched patched",
    );
    await kubectl.prints("get node patched -o jsonpath={.spec.taints[*].key}", "b");
  });

  it("patches a subresource and leaves the rest", async () => {
    const { kubectl } = cluster;
    await make(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "reporting" } }));
    const status = { status: { conditions: [{ type: "Ready", status: "True" }] }, metadata: { labels: { no: "way" } } };
    await kubectl.prints(
      `patch node reporting --subresource=status -p '${JSON.stringify(status)}'`,
      "node/reporting patched",
    );
    await kubectl.prints("get node reporting -o jsonpath={.status.conditions[0].type}", "Ready");
    await kubectl.prints("get node reporting --no-headers", /^reporting +Ready /);
  });

  it("cordons and taints, and undoes both", async () => {
    const { kubectl } = cluster;
    await make(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "worker" } }));
    await kubectl.prints("cordon worker", "node/worker cordoned");
    await kubectl.prints("cordon worker", "node/worker already cordoned");
    await kubectl.prints("uncordon worker", "node/worker uncordoned");
    await kubectl.prints("taint node worker dedicated=x:NoSchedule", "node/worker tainted");
    await kubectl.prints(
      "get node worker -o jsonpath={.spec.taints[0]}",
      '{"effect":"NoSchedule","key":"dedicated","value":"x"}',
    );
    await kubectl.prints("taint node worker dedicated-", "node/worker untainted");
  });

  it("edits through an editor, and cancels when nothing changed", async () => {
    const { kubectl, home } = cluster;
    await make(configMap("edited", { a: "before" }));
    const script = async (name: string, body: string): Promise<Record<string, string>> => {
      await writeFile(join(home, name), `#!/bin/sh\n${body}\n`);
      await chmod(join(home, name), 0o755);
      return { KUBE_EDITOR: join(home, name) };
    };
    const replace = await script("replace.sh", `sed -i 's/a: before/a: after/' "$1"`);
    await kubectl.prints("edit configmap edited", "configmap/edited edited", { env: replace });
    await kubectl.prints("get configmap edited -o jsonpath={.data.a}", "after");
    const nothing = await script("nothing.sh", "true");
    const cancelled = await kubectl.run("edit configmap edited", { env: nothing });
    expect(`${cancelled.code} ${cancelled.out}${cancelled.err}`).toBe("0 Edit cancelled, no changes made.");
    // An editor that makes the object invalid is opened again with the reasons, until it changes nothing more.
    const broken = await script(
      "broken.sh",
      `grep '^#' "$1" >> opened.txt; sed -i 's/^  a: after/  "a b": after/' "$1"`,
    );
    await kubectl.refuses(
      "edit configmap edited",
      /^error: configmaps "edited" is invalid\n.*\nerror: Edit cancelled, no valid changes were saved\.$/,
      { env: { ...broken, TMPDIR: home } },
    );
    expect(await readFile(join(home, "opened.txt"), "utf8")).toContain('data[a b]: Invalid value: "a b"');
  });

  it("replaces, and refuses a stale copy and a missing object", async () => {
    const { kubectl } = cluster;
    await make(configMap("replaced", { a: "1" }));
    const copy = await kubectl.out("get configmap replaced -o json");
    await kubectl.prints("replace -f -", "configmap/replaced replaced", {
      stdin: copy.replace('"a": "1"', '"a": "2"'),
    });
    await kubectl.refuses(
      "replace -f -",
      /^Error from server \(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "replaced": the object has been modified; please apply your changes to the latest version and try again$/,
      { stdin: copy },
    );
    await kubectl.refuses(
      "replace -f -",
      'Error from server (NotFound): error when replacing "STDIN": configmaps "absent" not found',
      {
        stdin: configMap("absent"),
      },
    );
    const before = await kubectl.out("get configmap replaced -o jsonpath={.metadata.uid}");
    await kubectl.prints("replace --force -f -", /^configmap "replaced" deleted.*\nconfigmap\/replaced replaced$/, {
      stdin: configMap("replaced"),
    });
    expect(await kubectl.out("get configmap replaced -o jsonpath={.metadata.uid}")).not.toBe(before);
  });

  it("sets images and environment of a pod template", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("set image daemonset/strategic z=z:2", "daemonset.apps/strategic image updated");
    await kubectl.prints("set env daemonset/strategic A=1", "daemonset.apps/strategic env updated");
    await kubectl.prints(
      "get daemonset strategic -o jsonpath={.spec.template.spec.containers[0].image},{.metadata.generation}",
      /^z:2,\d+$/,
    );
  });

  it("scales a custom object, also with a precondition", async () => {
    const { kubectl } = cluster;
    await make(widget("scaled", { size: "small" }));
    await kubectl.prints("scale widget scaled --replicas=3", "widget.shop.example/scaled scaled");
    await kubectl.prints("get widget scaled -o jsonpath={.spec.replicas}", "3");
    await kubectl.refuses("scale widget scaled --current-replicas=7 --replicas=4", /Expected replicas to be 7, was 3/);
    await kubectl.prints("scale widget scaled --current-replicas=3 --replicas=4", "widget.shop.example/scaled scaled");
    await kubectl.refuses(
      "scale widget scaled --replicas=11",
      /spec\.replicas: Invalid value: 11: .*should be less than or equal to 10/,
    );
    expect(JSON.parse(await kubectl.out("get widget scaled --subresource=scale -o json"))).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "scaled", namespace: "work" },
      spec: { replicas: 4 },
      status: { replicas: 0 },
    });
    await kubectl.refuses(
      "scale configmap edited --replicas=1",
      "Error from server (NotFound): the server could not find the requested resource",
    );
  });
});
