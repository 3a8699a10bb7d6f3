import { beforeAll, expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { widget, widgetDefinition } from "./widget-definition.ts";

const configMap = (name: string, metadata: object = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata } });

onEachServer("deleting and waiting", (cluster) => {
  const make = (...objects: string[]): Promise<string> =>
    cluster.kubectl.out("create -f -", { stdin: objects.join("\n") });

  beforeAll(async () => {
    await make(JSON.stringify(widgetDefinition));
    await cluster.kubectl.prints(
      "wait --for=condition=Established crd/widgets.shop.example --timeout=30s",
      "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example condition met",
    );
  });

  // Newer versions of kubectl say which namespace it was in.
  const deleted = (...names: string[]): RegExp =>
    new RegExp(`^${names.map((name) => `configmap "${name}" deleted(?: from work namespace)?`).join("\n")}$`);

  it("deletes by name, by file, by selector, and all", async () => {
    const { kubectl } = cluster;
    const labels = { labels: { batch: "1" } };
    await make(configMap("d-a"), configMap("d-b"), configMap("d-c", labels), configMap("d-d", labels));
    await kubectl.prints("delete configmap d-a", deleted("d-a"));
    await kubectl.refuses("delete configmap d-a", 'Error from server (NotFound): configmaps "d-a" not found');
    await kubectl.prints("delete configmap d-a --ignore-not-found", "");
    await kubectl.prints("delete -f -", deleted("d-b"), { stdin: configMap("d-b") });
    await kubectl.prints("delete configmaps -l batch=1", deleted("d-c", "d-d"));
    const secret = (name: string): string => JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name } });
    await make(secret("d-e"), secret("d-f"));
    await kubectl.prints(
      "delete secrets --all --dry-run=server",
      /d-e.*\(server dry run\)\n.*d-f.*\(server dry run\)$/,
    );
    await kubectl.prints("delete secrets --all", /^secret "d-e" deleted.*\nsecret "d-f" deleted.*$/);
    expect((await kubectl.run("delete secrets --all")).out).toBe("No resources found");
    await kubectl.refuses("delete configmaps", "error: resource(s) were provided, but no name was specified");
  });

  it("keeps what has finalizers until they are gone", async () => {
    const { kubectl } = cluster;
    await make(configMap("held", { finalizers: ["example.com/hold"] }));
    await kubectl.prints("delete configmap held --wait=false", deleted("held"));
    expect(await kubectl.json("get configmap held")).toMatchObject({
      metadata: {
        deletionTimestamp: expect.stringMatching(/Z$/) as string,
        deletionGracePeriodSeconds: 0,
        finalizers: ["example.com/hold"],
      },
    });
    await kubectl.refuses(
      "wait --for=delete configmap/held --timeout=1s",
      "error: timed out waiting for the condition on configmaps/held",
    );
    await kubectl.refuses(
      `patch configmap held --type=merge -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'`,
      /The ConfigMap "held" is invalid: metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"example\.com\/more"\}/,
    );
    // It prints nothing if the object was already gone.
    const waiting = kubectl.prints(
      "wait --for=delete configmap/held --timeout=30s",
      /^(?:configmap\/held condition met)?$/,
    );
    await kubectl.out(`patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`);
    await waiting;
    await kubectl.refuses("get configmap held", /NotFound/);
  });

  it("waits at a delete until the object is gone", async () => {
    const { kubectl } = cluster;
    await make(configMap("awaited", { finalizers: ["example.com/hold"] }));
    const gone = kubectl.run("delete configmap awaited --timeout=30s", {
      meanwhile: async () => {
        await kubectl.out(`patch configmap awaited --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`);
      },
    });
    expect((await gone).code).toBe(0);
    await kubectl.refuses("get configmap awaited", 'Error from server (NotFound): configmaps "awaited" not found');
  });

  it("waits for a condition, also one that comes later", async () => {
    const { kubectl } = cluster;
    await make(widget("conditional", { size: "small" }));
    await kubectl.refuses(
      "wait --for=condition=Ready widget/conditional --timeout=1s",
      "error: timed out waiting for the condition on widgets/conditional",
    );
    const waiting = kubectl.prints(
      "wait --for=condition=Ready widget/conditional --timeout=30s",
      "widget.shop.example/conditional condition met",
    );
    const status = { status: { phase: "Sold", conditions: [{ type: "Ready", status: "True" }] } };
    await kubectl.out(`patch widget conditional --subresource=status --type=merge -p '${JSON.stringify(status)}'`);
    await waiting;
    await kubectl.prints("wait --for=condition=Ready=True widget/conditional --timeout=5s", /condition met/);
  });

  it("waits for a value, and for creation", async () => {
    const { kubectl } = cluster;
    const waiting = kubectl.prints(
      "wait --for=create widget/later --timeout=30s",
      "widget.shop.example/later condition met",
    );
    await make(widget("later", { size: "large" }));
    await waiting;
    await kubectl.prints(
      "wait --for=jsonpath={.spec.size}=large widget/later --timeout=5s",
      "widget.shop.example/later condition met",
    );
    await kubectl.refuses(
      "wait --for=jsonpath={.status.phase}=Sold widget/later --timeout=1s",
      /timed out waiting for the condition on widgets\/later/,
    );
    await kubectl.refuses(
      "wait --for=condition=Ready widget/none --timeout=1s",
      'Error from server (NotFound): widgets.shop.example "none" not found',
    );
  });

  it("deletes a definition with all its objects", async () => {
    const { kubectl } = cluster;
    const text = JSON.stringify(widgetDefinition)
      .replaceAll("widget", "gizmo")
      .replaceAll("Widget", "Gizmo")
      .replace('"wd"', '"gz"');
    await make(text);
    await kubectl.out("wait --for=condition=Established crd/gizmos.shop.example --timeout=30s");
    await make(widget("g", { size: "small" }).replace("Widget", "Gizmo"));
    await kubectl.prints(
      "delete crd gizmos.shop.example --timeout=60s",
      'customresourcedefinition.apiextensions.k8s.io "gizmos.shop.example" deleted',
    );
    // kubectl caches discovery for a while and sends the request; the server no longer serves it.
    await kubectl.refuses(
      "get gizmos",
      /the server could not find the requested resource|the server doesn't have a resource type "gizmos"/,
    );
  });

  it("marks a namespace for deletion and refuses new objects", async () => {
    const { kubectl } = cluster;
    await make(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "closing" } }));
    await make(configMap("inside", { namespace: "closing", finalizers: ["example.com/hold"] }));
    await kubectl.prints("delete namespace closing --wait=false", 'namespace "closing" deleted');
    await kubectl.prints("get namespace closing -o jsonpath={.status.phase}", "Terminating");
    await kubectl.refuses(
      "create -f -",
      /Error from server \(Forbidden\): error when creating "STDIN": configmaps "late" is forbidden: unable to create new content in namespace closing because it is being terminated/,
      { stdin: configMap("late", { namespace: "closing" }) },
    );
    await kubectl.out(`patch configmap inside -n closing --type=merge -p '{"metadata":{"finalizers":null}}'`);
  });

  it("refuses to delete system namespaces", async () => {
    await cluster.kubectl.refuses(
      "delete namespace default",
      /Error from server \(Forbidden\): namespaces "default" is forbidden: this namespace may not be deleted/,
    );
  });

  // kube-apiserver without controllers: namespaces stay Terminating.
  it.skipIf(cluster.variant === "real")("empties a deleted namespace and lets it go", async () => {
    const { kubectl } = cluster;
    await make(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "doomed" } }));
    await make(configMap("a", { namespace: "doomed" }), widget("w", { size: "small" }, { namespace: "doomed" }));
    await kubectl.prints("delete namespace doomed --timeout=30s", 'namespace "doomed" deleted');
    await kubectl.refuses("get namespace doomed", 'Error from server (NotFound): namespaces "doomed" not found');
    await make(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "doomed" } }));
    await kubectl.prints("get configmaps,widgets -n doomed -o name", "configmap/kube-root-ca.crt");
  });

  // kube-apiserver without controllers: dependents stay, and so does an owner that waits for them.
  const hasCollector = cluster.variant !== "real";

  /** A ConfigMap that owns a widget and a second one, which a finalizer keeps until the test removes it. */
  const family = async (name: string, finalizers: string[] = []): Promise<void> => {
    const { kubectl } = cluster;
    await make(configMap(name));
    const uid = await kubectl.out(`get configmap ${name} -o jsonpath={.metadata.uid}`);
    const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
    await make(
      widget(`${name}-free`, { size: "small" }, { ownerReferences: [owner] }),
      configMap(`${name}-held`, { ownerReferences: [owner], finalizers }),
    );
  };

  it.runIf(hasCollector)("deletes the owner first with --cascade=background, then its dependents", async () => {
    const { kubectl } = cluster;
    await family("back", ["example.com/hold"]);
    await kubectl.prints("delete configmap back --cascade=background", deleted("back"));
    await kubectl.refuses("get configmap back", /NotFound/);
    await kubectl.out("wait --for=delete widget/back-free --timeout=30s");
    await kubectl.out("wait --for=jsonpath={.metadata.deletionTimestamp} configmap/back-held --timeout=30s");
    await kubectl.out(`patch configmap back-held --type=merge -p '{"metadata":{"finalizers":null}}'`);
    await kubectl.refuses("get configmap back-held", /NotFound/);
  });

  it.runIf(hasCollector)("deletes dependents first with --cascade=foreground, then the owner", async () => {
    const { kubectl } = cluster;
    await family("fore", ["example.com/hold"]);
    await kubectl.prints("delete configmap fore --cascade=foreground --wait=false", deleted("fore"));
    await kubectl.out("wait --for=delete widget/fore-free --timeout=30s");
    await kubectl.out("wait --for=jsonpath={.metadata.deletionTimestamp} configmap/fore-held --timeout=30s");
    await kubectl.prints("get configmap fore -o jsonpath={.metadata.finalizers}", '["foregroundDeletion"]');
    await kubectl.out(`patch configmap fore-held --type=merge -p '{"metadata":{"finalizers":null}}'`);
    await kubectl.out("wait --for=delete configmap/fore --timeout=30s");
    await kubectl.refuses("get configmap fore", /NotFound/);
  });

  it.runIf(hasCollector)("leaves dependents without an owner with --cascade=orphan", async () => {
    const { kubectl } = cluster;
    await family("gone");
    await kubectl.prints("delete configmap gone --cascade=orphan --timeout=30s", deleted("gone"));
    await kubectl.refuses("get configmap gone", /NotFound/);
    await kubectl.prints("get widget gone-free -o jsonpath={.metadata.ownerReferences}", "");
    await kubectl.prints("get configmap gone-held -o jsonpath={.metadata.ownerReferences}", "");
  });
});
