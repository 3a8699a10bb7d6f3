import { beforeAll, expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { ageless, column, rows } from "./printed-table.ts";

const nodes = ["alpha", "beta", "gamma"];

/** Three nodes and three pods, the source of every output. */
const stock = [
  ...nodes.map((name, at) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { rack: `r${at % 2}`, "node-role.kubernetes.io/worker": "" } },
    spec: { unschedulable: name === "gamma" },
  })),
  ...nodes.map((name, at) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `on-${name}`, labels: { app: at < 2 ? "web" : "db", tier: `t${at}` } },
    spec: { nodeName: name, containers: [{ name: "c", image: `registry.example/c:${3 - at}` }] },
  })),
];

onEachServer("reading", (cluster) => {
  beforeAll(async () => {
    await cluster.kubectl.out("create -f -", { stdin: stock.map((object) => JSON.stringify(object)).join("\n") });
  });

  it("prints a table", async () => {
    expect(ageless(await cluster.kubectl.out("get pods"))).toEqual([
      ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
      ["on-alpha", "0/1", "Pending", "0", "AGE"],
      ["on-beta", "0/1", "Pending", "0", "AGE"],
      ["on-gamma", "0/1", "Pending", "0", "AGE"],
    ]);
    expect(ageless(await cluster.kubectl.out("get nodes --no-headers"))).toEqual([
      ["alpha", "Unknown", "worker", "AGE"],
      ["beta", "Unknown", "worker", "AGE"],
      ["gamma", "Unknown,SchedulingDisabled", "worker", "AGE"],
    ]);
  });

  it("prints a wide table", async () => {
    expect(ageless(await cluster.kubectl.out("get pod on-alpha -o wide"))).toEqual([
      ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
      ["on-alpha", "0/1", "Pending", "0", "AGE", "<none>", "alpha", "<none>", "<none>"],
    ]);
    const wide = ageless(await cluster.kubectl.out("get node beta -o wide"));
    expect(wide[0]).toEqual(
      expect.arrayContaining(["INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"]),
    );
    expect(wide[1]).toEqual([
      "beta",
      "Unknown",
      "worker",
      "AGE",
      "<none>",
      "<none>",
      "<unknown>",
      "<unknown>",
      "<unknown>",
    ]);
  });

  it("prints JSON and YAML", async () => {
    const pod = (await cluster.kubectl.json("get pod on-beta")) as { metadata: Record<string, unknown> };
    expect(pod).toMatchObject({ apiVersion: "v1", kind: "Pod", metadata: { name: "on-beta", namespace: "work" } });
    expect(pod.metadata.managedFields).toBeUndefined();
    const list = (await cluster.kubectl.json("get pods")) as { kind: string; items: unknown[] };
    expect(list).toMatchObject({ apiVersion: "v1", kind: "List" });
    expect(list.items).toHaveLength(3);
    const yaml = await cluster.kubectl.out("get pod on-beta -o yaml");
    expect(yaml).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n {2}creationTimestamp: "\d{4}-/);
    expect(yaml).toMatch(/^ {2}- image: registry\.example\/c:2$/m);
  });

  it("shows managed fields when asked", async () => {
    const pod = (await cluster.kubectl.json("get pod on-beta --show-managed-fields")) as {
      metadata: { managedFields: object[] };
    };
    expect(pod.metadata.managedFields).toMatchObject([
      { manager: "kubectl-create", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
    ]);
  });

  const outputs: [string, string][] = [
    ["get pods -o name", "pod/on-alpha\npod/on-beta\npod/on-gamma"],
    ["get pods on-gamma on-alpha -o name", "pod/on-gamma\npod/on-alpha"],
    ["get node/alpha pod/on-beta -o name", "node/alpha\npod/on-beta"],
    ["get pods -o jsonpath={.items[*].metadata.labels.tier}", "t0 t1 t2"],
    [
      'get pods -o \'jsonpath={range .items[?(@.metadata.labels.app=="web")]}{.metadata.name}{"\\n"}{end}\'',
      "on-alpha\non-beta",
    ],
    ["get pod on-alpha -o jsonpath={.spec.containers[0].image}", "registry.example/c:3"],
    ["get pods -o go-template='{{range .items}}{{.metadata.name}};{{end}}'", "on-alpha;on-beta;on-gamma;"],
    [
      "get pods -o custom-columns=N:.metadata.name,I:.spec.containers[*].image --no-headers",
      "on-alpha   registry.example/c:3\non-beta    registry.example/c:2\non-gamma   registry.example/c:1",
    ],
    ["get pods --sort-by=.spec.containers[0].image -o name", "pod/on-gamma\npod/on-beta\npod/on-alpha"],
    ["get pods -l app=web -o name", "pod/on-alpha\npod/on-beta"],
    ["get pods -l app!=web -o name", "pod/on-gamma"],
    ["get pods -l 'tier in (t0,t2)' -o name", "pod/on-alpha\npod/on-gamma"],
    ["get pods -l 'tier notin (t0,t2)' -o name", "pod/on-beta"],
    ["get pods -l app,!missing,tier=t1 -o name", "pod/on-beta"],
    ["get pods --field-selector spec.nodeName=beta -o name", "pod/on-beta"],
    ["get pods --field-selector metadata.name!=on-beta,status.phase=Pending -o name", "pod/on-alpha\npod/on-gamma"],
    ["get nodes --field-selector spec.unschedulable=true -o name", "node/gamma"],
    ["get pods -A --field-selector metadata.namespace=work -o name", "pod/on-alpha\npod/on-beta\npod/on-gamma"],
    ["get pods -n default", ""],
    ["get pod missing --ignore-not-found", ""],
  ];
  it.each(outputs)("%s", async (command, output) => {
    await cluster.kubectl.prints(command, output);
  });

  const refusals: [string, string | RegExp][] = [
    ["get pod missing", 'Error from server (NotFound): pods "missing" not found'],
    ["get pods --field-selector spec.image=x", /field label not supported: spec\.image/],
    [
      "get configmaps --field-selector data.a=x",
      /"data\.a" is not a known field selector: only "metadata\.name", "metadata\.namespace"/,
    ],
    [
      "get crd --field-selector spec.group=x",
      /"spec\.group" is not a known field selector: only "metadata\.name", "metadata\.namespace"$/,
    ],
    ["get pods -l 'a in'", /unable to parse requirement: found '' expected: '\('$/],
    ["get pod on-alpha -o jsonpath={.spec.nothing.here} --allow-missing-template-keys=false", /nothing is not found/],
  ];
  it.each(refusals)("refuses %s", async (command, message) => {
    await cluster.kubectl.refuses(command, message);
  });

  it("says that no resources were found", async () => {
    expect(await cluster.kubectl.run("get pods -n default")).toEqual({
      code: 0,
      out: "",
      err: "No resources found in default namespace.",
    });
    expect((await cluster.kubectl.run("get runtimeclasses")).err).toBe("No resources found");
  });

  it("adds label columns and namespaces", async () => {
    expect(ageless(await cluster.kubectl.out("get pods --show-labels -l app=db"))[1]).toEqual([
      "on-gamma",
      "0/1",
      "Pending",
      "0",
      "AGE",
      "app=db,tier=t2",
    ]);
    const labelled = ageless(await cluster.kubectl.out("get nodes -L rack"));
    expect(labelled.map((row) => row.at(-1))).toEqual(["RACK", "r0", "r1", "r0"]);
    const everywhere = rows(await cluster.kubectl.out("get pods -A"));
    expect(column(everywhere, "NAMESPACE")).toEqual(["work", "work", "work"]);
  });

  it("prints several kinds at once", async () => {
    const names = (await cluster.kubectl.out("get all -o name")).split("\n");
    expect(names).toEqual(["pod/on-alpha", "pod/on-beta", "pod/on-gamma"]);
    await cluster.kubectl.prints("get pods,nodes -l rack=r1 -o name", "node/beta");
  });

  it("describes an object", async () => {
    const text = await cluster.kubectl.out("describe pod on-alpha");
    expect(text).toMatch(/^Name: +on-alpha\nNamespace: +work$/m);
    expect(text).toMatch(/^Node: +alpha\/$/m);
    expect(text).toMatch(/^Events: +<none>$/m);
  });

  it("pages through many objects without losing or repeating one", async () => {
    const many = Array.from({ length: 45 }, (_, at) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `page-${String(at).padStart(2, "0")}`, labels: { paged: "yes" } },
    }));
    await cluster.kubectl.out("create -f - -o name", {
      stdin: many.map((object) => JSON.stringify(object)).join("\n"),
    });
    const wanted = many.map(({ metadata }) => metadata.name);
    const paged = await cluster.kubectl.run("get configmaps -l paged=yes --chunk-size=10 -v=6");
    expect(column(rows(paged.out), "NAME")).toEqual(wanted);
    expect(paged.err.match(/limit=10/g)?.length).toBeGreaterThanOrEqual(5);
    const json = (await cluster.kubectl.json("get configmaps -l paged=yes --chunk-size=7")) as {
      items: { metadata: { name: string } }[];
    };
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(wanted);
  });

  it("watches: first the current state, then every change", async () => {
    const stdin = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" }, data: { a: "1" } });
    await cluster.kubectl.prints("create -f -", "configmap/seen created", { stdin });
    const { out } = await cluster.kubectl.run("get configmap seen --watch --output-watch-events", {
      enough: (out) => /DELETED.*\n/.test(out),
      meanwhile: async () => {
        await cluster.kubectl.out(`patch configmap seen -p '{"data":{"b":"2"}}'`);
        await cluster.kubectl.out("delete configmap seen");
      },
    });
    expect(ageless(out)).toEqual([
      ["EVENT", "NAME", "DATA", "AGE"],
      ["ADDED", "seen", "1", "AGE"],
      ["MODIFIED", "seen", "2", "AGE"],
      ["DELETED", "seen", "2", "AGE"],
    ]);
  });

  it("watches only what is selected, as a table", async () => {
    const labelled = (name: string, kind: string): string =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, labels: { kind } },
        data: { a: "", b: "" },
      });
    await cluster.kubectl.out("create -f -", { stdin: labelled("w-first", "yes") });
    const { out } = await cluster.kubectl.run("get configmaps --watch -l kind=yes", {
      enough: (out) => /w-third.*\n/.test(out),
      meanwhile: async () => {
        await cluster.kubectl.out("create -f -", { stdin: labelled("w-second", "no") });
        await cluster.kubectl.out("create -f -", { stdin: labelled("w-third", "yes") });
      },
    });
    expect(ageless(out)).toEqual([
      ["NAME", "DATA", "AGE"],
      ["w-first", "2", "AGE"],
      ["w-third", "2", "AGE"],
    ]);
  });

  it("lists events, of everything or of one object", async () => {
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "alpha.1" },
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "on-alpha", namespace: "work" },
      type: "Warning",
      reason: "TooWarm",
      message: "the fan stands still",
      source: { component: "thermometer" },
      lastTimestamp: new Date().toISOString().replace(/\.\d+/, ""),
      count: 3,
    };
    await cluster.kubectl.prints("create -f -", "event/alpha.1 created", { stdin: JSON.stringify(event) });
    expect(ageless(await cluster.kubectl.out("get events"))).toEqual([
      ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
      ["AGE", "Warning", "TooWarm", "pod/on-alpha", "the fan stands still"],
    ]);
    await cluster.kubectl.prints(
      "get events --field-selector involvedObject.name=on-alpha,type=Warning -o name",
      "event/alpha.1",
    );
    await cluster.kubectl.prints("get events --field-selector reason=Other -o name", "");
    expect(ageless(await cluster.kubectl.out("events --for pod/on-alpha"))[1]?.slice(1)).toEqual([
      "Warning",
      "TooWarm",
      "Pod/on-alpha",
      "the fan stands still",
    ]);
  });
});
