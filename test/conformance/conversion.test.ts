import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { answerConversion, convertedWidgets } from "../../src/embedded/apiserver/conversion/testing/convert-widgets.ts";
import { startTestWebhook, type Reply, type TestWebhook } from "../../src/embedded/apiserver/testing/test-webhook.ts";
import { onEachServer } from "./on-each-server.ts";

const works: Reply = (review) => answerConversion(review);
const changes =
  (change: (widget: KubeObject) => unknown): Reply =>
  (review) =>
    answerConversion(review, ([first, ...rest]) => [change(first as KubeObject), ...rest]);

onEachServer("conversion by a webhook", (cluster) => {
  let webhook: TestWebhook;
  let count = 0;

  beforeAll(async () => {
    webhook = await startTestWebhook(works);
    const definition = convertedWidgets({ url: `${webhook.url}/convert`, caBundle: webhook.caBundle });
    await make({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", ...definition });
    await cluster.kubectl.out("wait --for=condition=Established crd/widgets.x.io --timeout=30s");
    await cluster.kubectl.out("get widgets.v1.x.io,widgets.v2.x.io");
  });
  afterAll(() => webhook?.close());
  beforeEach(() => {
    webhook.reply = works;
  });

  const make = (object: object): Promise<string> =>
    cluster.kubectl.out("create -f -", { stdin: JSON.stringify(object) });
  const widget = (version: "v1" | "v2", name: string, spec: object, metadata: object = {}): object => ({
    apiVersion: `x.io/${version}`,
    kind: "Widget",
    metadata: { name, ...metadata },
    spec,
  });
  /** Stored as v1, and not yet converted to v2. */
  async function fresh(size = 1, metadata: object = {}): Promise<string> {
    const name = `fresh-${++count}`;
    await make(widget("v1", name, { size, color: "red" }, metadata));
    return name;
  }
  const get = async (version: "v1" | "v2", name: string): Promise<KubeObject> =>
    (await cluster.kubectl.json(`get widgets.${version}.x.io ${name} --show-managed-fields`)) as KubeObject;
  const spec = async (version: "v1" | "v2", name: string): Promise<unknown> => (await get(version, name)).spec;
  const owners = ({ metadata }: KubeObject): string[] =>
    (metadata.managedFields ?? [])
      .map(({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion} ${JSON.stringify(fieldsV1)}`)
      .toSorted();

  it("shows an object in either version, whichever it was created in", async () => {
    const one = await fresh(1);
    expect(await get("v2", one)).toMatchObject({
      apiVersion: "x.io/v2",
      metadata: { uid: (await get("v1", one)).metadata.uid },
      spec: { color: "red", dimensions: { size: 1 } },
    });
    await make(widget("v2", "two", { dimensions: { size: 2 } }));
    expect(await spec("v1", "two")).toEqual({ size: 2 });
    expect(await spec("v2", "two")).toEqual({ dimensions: { size: 2 } });
  });

  it("replaces, patches, scales and labels in another version", async () => {
    const { kubectl } = cluster;
    const one = await fresh(1);
    const seen = await get("v2", one);
    await kubectl.out("replace -f -", {
      stdin: JSON.stringify({ ...seen, spec: { color: "blue", dimensions: { size: 2 } } }),
    });
    expect(await spec("v1", one)).toEqual({ color: "blue", size: 2 });
    await kubectl.out(`patch widgets.v2.x.io ${one} --type=merge -p '{"spec":{"dimensions":{"size":3}}}'`);
    expect(await spec("v1", one)).toEqual({ color: "blue", size: 3 });
    await kubectl.out(
      `patch widgets.v2.x.io ${one} --type=json -p '[{"op":"replace","path":"/spec/dimensions/size","value":4}]'`,
    );
    expect(await spec("v1", one)).toEqual({ color: "blue", size: 4 });
    await kubectl.out(`scale widgets.v2.x.io/${one} --replicas=5`);
    expect(await spec("v1", one)).toEqual({ color: "blue", size: 5 });
    await kubectl.out(`patch widgets.v2.x.io ${one} --subresource=status --type=merge -p '{"status":{"size":5}}'`);
    await kubectl.out(`label widgets.v2.x.io ${one} touched=yes`);
    expect(await get("v1", one)).toMatchObject({
      metadata: { generation: 5, labels: { touched: "yes" } },
      status: { size: 5 },
    });
  });

  it("does not change the resourceVersion for a write without changes in another version", async () => {
    const one = await fresh(1);
    const before = await get("v2", one);
    await cluster.kubectl.out("replace -f -", { stdin: JSON.stringify(before) });
    await cluster.kubectl.out(`patch widgets.v2.x.io ${one} --type=merge -p '{"spec":{"color":"red"}}'`);
    expect((await get("v1", one)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("shows the result of a dry run as it would be read back", async () => {
    const made = await cluster.kubectl.json("create --dry-run=server -f -", {
      stdin: JSON.stringify(widget("v2", "trial", { dimensions: { size: 2 } })),
    });
    expect(made).toMatchObject({ apiVersion: "x.io/v2", spec: { dimensions: { size: 2 } } });
    await cluster.kubectl.refuses(
      "get widgets.v2.x.io trial",
      'Error from server (NotFound): widgets.x.io "trial" not found',
    );
  });

  it("validates in the version of the request", async () => {
    await cluster.kubectl.refuses(
      "create -f -",
      /^The Widget "bad" is invalid: .*spec\.dimensions\.size: Invalid value: -1/s,
      { stdin: JSON.stringify(widget("v2", "bad", { dimensions: { size: -1 } })) },
    );
  });

  it("lists, selects and prints in the requested version", async () => {
    const { kubectl } = cluster;
    const [small, large] = [await fresh(70, { labels: { set: "list" } }), await fresh(71, { labels: { set: "list" } })];
    await kubectl.prints("get widgets.v2.x.io -l set=list --no-headers", new RegExp(`^${small} +70\\n${large} +71$`));
    await kubectl.prints(
      "get widgets.v2.x.io --field-selector=spec.dimensions.size=71 -o name",
      `widget.x.io/${large}`,
    );
    await kubectl.prints("get widgets.v1.x.io --field-selector=spec.size=70 -o name", `widget.x.io/${small}`);
    const paged = (await kubectl.json("get widgets.v2.x.io -l set=list --chunk-size=1")) as { items: KubeObject[] };
    expect(paged.items.map((item) => item.spec)).toMatchObject([
      { dimensions: { size: 70 } },
      { dimensions: { size: 71 } },
    ]);
  });

  it("sends watches of one version the writes in the other, in order", async () => {
    const name = await fresh(1);
    const { out } = await cluster.kubectl.run(
      `get widgets.v2.x.io ${name} -w -o jsonpath={.apiVersion}/{.spec.dimensions.size}{"\\n"}`,
      {
        meanwhile: async () => {
          for (const size of [2, 3, 4])
            await cluster.kubectl.out(`patch widgets.v1.x.io ${name} --type=merge -p '{"spec":{"size":${size}}}'`);
        },
        enough: (text) => text.includes("/4"),
      },
    );
    expect(out.split("\n")).toEqual([1, 2, 3, 4].map((size) => `x.io/v2/${size}`));
  });

  it("applies in both versions, and tracks field managers across them", async () => {
    const { kubectl } = cluster;
    const by = (manager: string): string => `apply --server-side --field-manager=${manager} -f -`;
    const wanted = (version: "v1" | "v2", fields: object): { stdin: string } => ({
      stdin: JSON.stringify(widget(version, "applied", fields)),
    });
    await kubectl.out(by("first"), wanted("v1", { size: 1, color: "red" }));
    const two = wanted("v2", { dimensions: { size: 2 } });
    await kubectl.refuses(by("second"), /conflict with "first": \.spec\.size/, two);
    await kubectl.out(by("second"), wanted("v2", { dimensions: { size: 1 } }));
    await kubectl.out(by("first"), wanted("v2", { dimensions: { size: 1 } }));
    const shared = await get("v1", "applied");
    expect(shared.spec).toEqual({ size: 1 });
    expect(owners(shared)).toEqual([
      'first x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
      'second x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
    ]);
    await kubectl.out(by("first"), wanted("v1", { color: "blue" }));
    const after = await get("v2", "applied");
    expect(after.spec).toEqual({ color: "blue", dimensions: { size: 1 } });
    expect(owners(after)).toEqual([
      'first x.io/v1 {"f:spec":{"f:color":{}}}',
      'second x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
    ]);
  });

  it("moves fields from their manager by an update in another version", async () => {
    const one = await fresh(1);
    await cluster.kubectl.out(
      `patch widgets.v2.x.io ${one} --field-manager=other --type=merge -p '{"spec":{"dimensions":{"size":2}}}'`,
    );
    expect(owners(await get("v1", one))).toEqual([
      expect.stringMatching(/^kubectl-create x\.io\/v1 \{"f:spec":\{"\.":\{\},"f:color":\{\}\}\}$/),
      'other x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
    ]);
  });

  const broken: [string, Reply, RegExp][] = [
    [
      "answers with an error",
      (_, { response }) => void response.writeHead(500, { "content-type": "text/plain" }).end("boom"),
      /failed: an error on the server \("boom"\) has prevented the request from succeeding$/,
    ],
    [
      "says why it cannot",
      (review) => {
        const { response, ...head } = answerConversion(review);
        return { ...head, response: { uid: response.uid, result: { status: "Failure", message: "cannot do that" } } };
      },
      /failed: cannot do that$/,
    ],
    ["returns fewer objects", (review) => answerConversion(review, () => []), /returned 0 objects, expected 1$/],
    [
      "changes the uid",
      changes((one) => ({ ...one, metadata: { ...one.metadata, uid: "other" } })),
      /returned invalid object: must have the same UID: [-0-9a-f]+ != other$/,
    ],
    [
      "changes the name",
      changes((one) => ({ ...one, metadata: { ...one.metadata, name: "other" } })),
      /returned invalid object: must have the same name: fresh-\d+ != other$/,
    ],
    [
      "returns another version",
      changes((one) => ({ ...one, apiVersion: "x.io/v9" })),
      /returned invalid object at index 0: invalid groupVersion \(expected x\.io\/v2, received x\.io\/v9\)$/,
    ],
    [
      "returns another kind",
      changes((one) => ({ ...one, kind: "Gadget" })),
      /returned invalid object at index 0: invalid kind \(expected Widget, received Gadget\)$/,
    ],
    [
      "labels with numbers",
      changes((one) => ({ ...one, metadata: { ...one.metadata, labels: { a: 1 } } })),
      /returned invalid metadata: metadata\.labels\[a\] must be a string, but is int64 in converted object$/,
    ],
  ];
  it.each(broken)(
    "fails a read where the webhook %s, and reads on in the version that is stored",
    async (_, reply, message) => {
      const name = await fresh(1);
      webhook.reply = reply;
      await cluster.kubectl.refuses(
        `get widgets.v2.x.io ${name}`,
        new RegExp(`^Error from server: conversion webhook for x\\.io/v1, Kind=Widget ${message.source}`),
      );
      expect(await spec("v1", name)).toEqual({ size: 1, color: "red" });
      await cluster.kubectl.refuses(
        "create -f -",
        /^Error from server: error when creating "STDIN": conversion webhook for x\.io\/v2, Kind=Widget /,
        { stdin: JSON.stringify(widget("v2", `new-${name}`, { dimensions: { size: 1 } })) },
      );
      webhook.reply = works;
      expect(await spec("v2", name)).toEqual({ color: "red", dimensions: { size: 1 } });
    },
  );

  it("lets a webhook change labels and annotations, prunes unknown fields, and ignores other changes", async () => {
    const name = await fresh(1);
    webhook.reply = changes((one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        labels: { converted: "yes" },
        annotations: { by: "webhook" },
        finalizers: ["x.io/y"],
      },
      spec: { ...(one.spec as object), unheard: "of" },
    }));
    const seen = await get("v2", name);
    expect(seen.metadata).toMatchObject({ labels: { converted: "yes" }, annotations: { by: "webhook" } });
    expect(seen.metadata.finalizers).toBeUndefined();
    expect(seen.spec).toEqual({ color: "red", dimensions: { size: 1 } });
  });

  it("waits for a slow webhook without delaying the stored version", async () => {
    const name = await fresh(1);
    let release: () => void = () => undefined;
    const thinking = new Promise<void>((resolve) => (release = resolve));
    webhook.reply = async (review) => {
      await thinking;
      return works(review, {} as never);
    };
    const slow = spec("v2", name);
    expect(await spec("v1", name)).toEqual({ size: 1, color: "red" });
    release();
    expect(await slow).toEqual({ color: "red", dimensions: { size: 1 } });
  });

  it("trusts no other CA, and the right one as soon as it is configured", async () => {
    const { kubectl } = cluster;
    const other = await startTestWebhook(works);
    const trust = (caBundle: string): Promise<string> =>
      kubectl.out(
        `patch crd widgets.x.io --type=merge -p '${JSON.stringify({ spec: { conversion: { webhook: { clientConfig: { caBundle } } } } })}'`,
      );
    const name = await fresh(1);
    await trust(other.caBundle);
    await expect
      .poll(() => kubectl.run(`get widgets.v2.x.io ${name}`))
      .toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /conversion webhook for x\.io\/v1, Kind=Widget failed: Post "https:\/\/127\.0\.0\.1:\d+\/convert\?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
        ) as string,
      });
    await trust(webhook.caBundle);
    await expect.poll(() => kubectl.run(`get widgets.v2.x.io ${name}`)).toMatchObject({ code: 0 });
    await other.close();
  });

  it("migrates objects that are written back once another version is stored", async () => {
    const { kubectl } = cluster;
    const name = await fresh(6);
    const { spec: migrated } = convertedWidgets({ url: `${webhook.url}/convert`, caBundle: webhook.caBundle }, "v2");
    await kubectl.out(`patch crd widgets.x.io --type=merge -p '${JSON.stringify({ spec: migrated })}'`);
    await expect
      .poll(() => kubectl.out("get crd widgets.x.io -o jsonpath={.status.storedVersions}"))
      .toBe('["v1","v2"]');
    const before = await get("v1", name);
    expect(before.spec).toEqual({ color: "red", size: 6 });
    await expect
      .poll(async () => {
        await kubectl.out("replace -f -", { stdin: JSON.stringify(await get("v1", name)) });
        return (await get("v1", name)).metadata.resourceVersion;
      })
      .not.toBe(before.metadata.resourceVersion);
    expect(await spec("v1", name)).toEqual({ color: "red", size: 6 });
    expect(await spec("v2", name)).toEqual({ color: "red", dimensions: { size: 6 } });
  });

  it("deletes in another version", async () => {
    const name = await fresh(1);
    await cluster.kubectl.prints(`delete widgets.v2.x.io ${name}`, new RegExp(`^widget\\.x\\.io "${name}" deleted`));
  });
});
