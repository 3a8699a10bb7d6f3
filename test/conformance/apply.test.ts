import { expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";

interface Applied {
  readonly metadata: { readonly resourceVersion: string; readonly annotations: Record<string, string> };
}

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(labels ? { labels } : {}) }, data });

const daemonSet = (containers: object[]): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: { metadata: { labels: { app: "agent" } }, spec: { containers } },
    },
  });

onEachServer("client-side apply", (cluster) => {
  it("creates, leaves alone, and configures", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("apply -f -", "configmap/steps created", { stdin: configMap("steps", { a: "1" }) });
    const before = (await kubectl.json("get configmap steps")) as Applied;
    await kubectl.prints("apply -f -", "configmap/steps unchanged", { stdin: configMap("steps", { a: "1" }) });
    const after = (await kubectl.json("get configmap steps")) as Applied;
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await kubectl.prints("apply -f -", "configmap/steps configured", { stdin: configMap("steps", { a: "2" }) });
    expect(await kubectl.json("get configmap steps")).toMatchObject({ data: { a: "2" } });
  });

  it("adds, changes and removes its own fields, and leaves those of others", async () => {
    const { kubectl } = cluster;
    await kubectl.out("apply -f -", { stdin: configMap("own", { stays: "1", goes: "2" }, { mine: "yes" }) });
    await kubectl.out('patch configmap own -p {"data":{"theirs":"3"}}');
    await kubectl.out("apply -f -", { stdin: configMap("own", { stays: "changed", comes: "4" }) });
    const own = (await kubectl.json("get configmap own")) as Applied;
    expect(own).toMatchObject({ data: { stays: "changed", comes: "4", theirs: "3" } });
    expect(Object.keys((own as unknown as { data: object }).data)).toHaveLength(3);
    expect(own.metadata).not.toHaveProperty("labels");
    expect(
      JSON.parse(own.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] ?? ""),
    ).toMatchObject({
      data: { stays: "changed", comes: "4" },
      metadata: { name: "own", namespace: "work" },
    });
  });

  it("merges lists by their key", async () => {
    const { kubectl } = cluster;
    const env = (name: string, value: string): object => ({ name, value });
    await kubectl.prints("apply -f -", "daemonset.apps/agent created", {
      stdin: daemonSet([
        { name: "a", image: "a:1", env: [env("X", "1"), env("Y", "2")] },
        { name: "b", image: "b:1" },
      ]),
    });
    const sidecar = { spec: { template: { spec: { containers: [{ name: "sidecar", image: "s:1" }] } } } };
    await kubectl.out(`patch daemonset agent -p '${JSON.stringify(sidecar)}'`);
    await kubectl.prints("apply -f -", "daemonset.apps/agent configured", {
      stdin: daemonSet([{ name: "a", image: "a:2", env: [env("Y", "3"), env("Z", "4")] }]),
    });
    await kubectl.prints(
      "get daemonset agent -o jsonpath={.spec.template.spec.containers[*].image}",
      /^(?:s:1 a:2|a:2 s:1)$/,
    );
    await kubectl.prints(
      "get daemonset agent -o 'jsonpath={range .spec.template.spec.containers[?(@.name==\"a\")].env[*]}{.name}={.value} {end}'",
      /^(?=.*Y=3)(?=.*Z=4)(?!.*X=)/,
    );
  });

  it("shows, sets and needs the last applied configuration", async () => {
    const { kubectl } = cluster;
    await kubectl.out("create -f -", { stdin: configMap("bare", { a: "1" }) });
    const { code, err } = await kubectl.run("apply -f -", { stdin: configMap("bare", { a: "1" }) });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /^Warning: resource configmaps\/bare is missing the kubectl\.kubernetes\.io\/last-applied-configuration annotation/,
      ) as string,
    });
    await kubectl.prints(
      "apply view-last-applied configmap bare",
      /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap/,
    );
    await kubectl.prints("apply set-last-applied -f -", "configmap/bare configured", {
      stdin: configMap("bare", { b: "1" }),
    });
    await kubectl.prints("apply view-last-applied configmap bare -o json", /"b": "1"/);
  });

  it("does a dry run on the server", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("apply --dry-run=server -f -", "configmap/trial created (server dry run)", {
      stdin: configMap("trial", {}),
    });
    await kubectl.refuses("get configmap trial", 'Error from server (NotFound): configmaps "trial" not found');
    await kubectl.out("apply -f -", { stdin: configMap("trial", { a: "1" }) });
    await kubectl.prints("apply --dry-run=server -f -", "configmap/trial configured (server dry run)", {
      stdin: configMap("trial", { a: "2" }),
    });
    await kubectl.prints("get configmap trial -o jsonpath={.data.a}", "1");
  });

  it("prunes what is no longer in the set", async () => {
    const { kubectl } = cluster;
    const both = [configMap("keep", { a: "1" }, { set: "s" }), configMap("drop", {}, { set: "s" })].join("\n");
    await kubectl.prints(
      "apply --prune -l set=s --prune-allowlist=core/v1/ConfigMap -f -",
      "configmap/keep created\nconfigmap/drop created",
      { stdin: both },
    );
    await kubectl.prints(
      "apply --prune -l set=s --prune-allowlist=core/v1/ConfigMap -f -",
      "configmap/keep unchanged\nconfigmap/drop pruned",
      {
        stdin: configMap("keep", { a: "1" }, { set: "s" }),
      },
    );
    await kubectl.prints("get configmaps -l set=s -o name", "configmap/keep");
  });

  it("shows differences, and reports them by its exit code", async () => {
    const { kubectl } = cluster;
    await kubectl.out("apply -f -", { stdin: configMap("diffed", { a: "1" }) });
    await kubectl.prints("diff -f -", "", { stdin: configMap("diffed", { a: "1" }) });
    const { code, out } = await kubectl.run("diff -f -", { stdin: configMap("diffed", { a: "2" }) });
    expect(code).toBe(1);
    expect(out).toMatch(/^- {2}a: "1"$/m);
    expect(out).toMatch(/^\+ {2}a: "2"$/m);
    expect(out).not.toMatch(/resourceVersion|uid/);
    const fresh = await kubectl.run("diff --server-side -f -", { stdin: configMap("fresh", { a: "2" }) });
    expect(fresh.code).toBe(1);
    expect(fresh.out).toMatch(/^\+ {2}name: fresh$/m);
    await kubectl.refuses("get configmap fresh", /NotFound/);
  });

  it("refuses to change immutable fields", async () => {
    const { kubectl } = cluster;
    const frozen = (data: object): string =>
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "frozen" }, immutable: true, data });
    await kubectl.out("apply -f -", { stdin: frozen({ a: "1" }) });
    await kubectl.refuses(
      "apply -f -",
      /The ConfigMap "frozen" is invalid: data: Forbidden: field is immutable when `immutable` is set/,
      {
        stdin: frozen({ a: "2" }),
      },
    );
    const moved = daemonSet([{ name: "a", image: "a:1" }]).replaceAll('"agent"', '"moved"');
    await kubectl.out("apply -f -", { stdin: moved });
    await kubectl.refuses(
      "apply -f -",
      /The DaemonSet "moved" is invalid: .*spec\.selector: Invalid value: .*: field is immutable/s,
      {
        stdin: moved.replaceAll('"app":"moved"', '"app":"other"'),
      },
    );
  });
});
