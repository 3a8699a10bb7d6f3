import { expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";

interface Managed {
  readonly data: Record<string, string>;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: { readonly manager: string; readonly operation: string; readonly fieldsV1: object }[];
  };
}

const configMap = (name: string, data: Record<string, string>): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

onEachServer("server-side apply", (cluster) => {
  const managed = async (name: string): Promise<Managed> =>
    (await cluster.kubectl.json(`get configmap ${name} --show-managed-fields`)) as Managed;
  const apply = (manager: string): string => `apply --server-side --field-manager=${manager} -f -`;

  it("creates, and owns the applied fields", async () => {
    await cluster.kubectl.prints("apply --server-side -f -", "configmap/first serverside-applied", {
      stdin: configMap("first", { a: "1" }),
    });
    const { metadata } = await managed("first");
    expect(metadata.managedFields).toMatchObject([
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:data": { "f:a": {} } } },
    ]);
  });

  it("writes nothing when nothing changes", async () => {
    const stdin = configMap("still", { a: "1" });
    await cluster.kubectl.out("apply --server-side -f -", { stdin });
    const before = await managed("still");
    await cluster.kubectl.out("apply --server-side -f -", { stdin });
    expect((await managed("still")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("names the other manager and the field of a conflict, and overrides it with --force-conflicts", async () => {
    await cluster.kubectl.out(apply("red"), { stdin: configMap("contested", { a: "1", b: "1" }) });
    await cluster.kubectl.refuses(
      apply("blue"),
      /^error: Apply failed with 1 conflict: conflict with "red": \.data\.a\nPlease review the fields above/,
      { stdin: configMap("contested", { a: "2" }) },
    );
    await cluster.kubectl.refuses(
      apply("blue"),
      /^error: Apply failed with 2 conflicts: conflicts with "red":\n- \.data\.a\n- \.data\.b\n/,
      { stdin: configMap("contested", { a: "2", b: "2" }) },
    );
    await cluster.kubectl.prints(`${apply("blue")} --force-conflicts`, "configmap/contested serverside-applied", {
      stdin: configMap("contested", { a: "2" }),
    });
    const { data, metadata } = await managed("contested");
    expect(data).toEqual({ a: "2", b: "1" });
    expect(Object.fromEntries(metadata.managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1]))).toEqual({
      red: { "f:data": { "f:b": {} } },
      blue: { "f:data": { "f:a": {} } },
    });
  });

  it("conflicts with managers that update, and names them", async () => {
    await cluster.kubectl.out("create -f -", { stdin: configMap("made", { a: "1" }) });
    await cluster.kubectl.refuses(
      apply("red"),
      /^error: Apply failed with 1 conflict: conflict with "kubectl-create" using v1: \.data\.a\n/,
      { stdin: configMap("made", { a: "2" }) },
    );
  });

  it("shares a field if both apply the same value", async () => {
    await cluster.kubectl.out(apply("red"), { stdin: configMap("shared", { a: "1" }) });
    await cluster.kubectl.out(apply("blue"), { stdin: configMap("shared", { a: "1" }) });
    await cluster.kubectl.out(apply("red"), { stdin: configMap("shared", {}) });
    expect((await managed("shared")).data).toEqual({ a: "1" });
    await cluster.kubectl.out(apply("blue"), { stdin: configMap("shared", {}) });
    expect((await managed("shared")).data).toBeUndefined();
  });

  it("removes fields that are no longer applied, and leaves those of others", async () => {
    await cluster.kubectl.out(apply("red"), { stdin: configMap("shrinks", { a: "1", b: "2" }) });
    await cluster.kubectl.out(apply("blue"), { stdin: configMap("shrinks", { c: "3" }) });
    await cluster.kubectl.out(apply("red"), { stdin: configMap("shrinks", { b: "2" }) });
    expect((await managed("shrinks")).data).toEqual({ b: "2", c: "3" });
  });

  it("merges lists by their keys", async () => {
    const pod = (containers: object[]): string =>
      JSON.stringify({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "keyed" },
        spec: {
          selector: { matchLabels: { k: "v" } },
          template: { metadata: { labels: { k: "v" } }, spec: { containers } },
        },
      });
    await cluster.kubectl.out(apply("red"), { stdin: pod([{ name: "a", image: "a:1" }]) });
    await cluster.kubectl.out(apply("blue"), {
      stdin: pod([{ name: "b", image: "b:1", ports: [{ containerPort: 80 }] }]),
    });
    await cluster.kubectl.prints(
      "get daemonset keyed -o jsonpath={.spec.template.spec.containers[*].image}",
      "a:1 b:1",
    );
    await cluster.kubectl.refuses(
      apply("blue"),
      /conflict with "red": \.spec\.template\.spec\.containers\[name="a"\]\.image\n/,
      {
        stdin: pod([
          { name: "a", image: "a:2" },
          { name: "b", image: "b:1" },
        ]),
      },
    );
    await cluster.kubectl.out(apply("blue"), { stdin: pod([]).replace('"containers":[]', '"dnsPolicy":"Default"') });
    await cluster.kubectl.prints("get daemonset keyed -o jsonpath={.spec.template.spec.containers[*].image}", "a:1");
  });

  it("does a dry run", async () => {
    await cluster.kubectl.prints(
      `${apply("red")} --dry-run=server`,
      "configmap/dry serverside-applied (server dry run)",
      {
        stdin: configMap("dry", {}),
      },
    );
    await cluster.kubectl.refuses("get configmap dry", /NotFound/);
    await cluster.kubectl.out(apply("red"), { stdin: configMap("dry", { a: "1" }) });
    const out = await cluster.kubectl.out(`${apply("red")} --dry-run=server -o json`, {
      stdin: configMap("dry", { a: "2" }),
    });
    expect(JSON.parse(out)).toMatchObject({ data: { a: "2" } });
    expect((await managed("dry")).data).toEqual({ a: "1" });
  });

  it("takes over from client-side apply", async () => {
    await cluster.kubectl.out("apply -f -", { stdin: configMap("upgraded", { a: "1", b: "1" }) });
    await cluster.kubectl.prints("apply --server-side -f -", "configmap/upgraded serverside-applied", {
      stdin: configMap("upgraded", { a: "1" }),
    });
    const { data, metadata } = await managed("upgraded");
    expect(data).toEqual({ a: "1" });
    expect(metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`).toSorted()).toEqual([
      "kubectl Apply",
      "kubectl-last-applied Apply",
    ]);
  });

  it("refuses unknown fields and invalid values", async () => {
    await cluster.kubectl.refuses(
      apply("red"),
      "Error from server: failed to create typed patch object (work/bad; /v1, Kind=ConfigMap): .datum: field not declared in schema",
      {
        stdin: configMap("bad", {}).replace('"data"', '"datum"'),
      },
    );
    await cluster.kubectl.refuses(
      apply("red"),
      "Error from server: failed to create typed patch object (work/bad; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:3}",
      { stdin: configMap("bad", { a: "3" }).replace('"3"', "3") },
    );
    await cluster.kubectl.refuses(apply("red"), /^The ConfigMap "bad" is invalid: data\[a b\]: Invalid value: "a b"/, {
      stdin: configMap("bad", { "a b": "" }),
    });
  });
});
