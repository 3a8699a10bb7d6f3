import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startTestWebhook, type Reply, type TestWebhook } from "../../src/embedded/apiserver/testing/test-webhook.ts";
import { NAMESPACE, onEachServer, type Cluster } from "./on-each-server.ts";

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly object: Stored | null;
    readonly oldObject: Stored | null;
    readonly [field: string]: unknown;
  };
}

interface Stored {
  readonly metadata: Record<string, unknown>;
  readonly data?: Record<string, string>;
}

interface Answer {
  readonly code: number;
  readonly warning: string | undefined;
  readonly body: Stored & { readonly message?: string; readonly reason?: string };
}

const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const configurations = "/apis/admissionregistration.k8s.io/v1";
const patient = { timeout: 100_000, interval: 50 };

function send(cluster: Cluster, method: string, path: string, body?: object) {
  const text = body === undefined ? "" : JSON.stringify(body);
  return new Promise<Answer>((resolve, reject) => {
    const { authority, url } = cluster.server;
    const headers = {
      authorization: `Bearer ${authority.adminToken}`,
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const request = httpsRequest(
      new URL(path, url),
      { ca: authority.caPem, agent: false, method, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            code: response.statusCode ?? 0,
            warning: response.headers.warning,
            body: JSON.parse(String(Buffer.concat(chunks))) as Answer["body"],
          }),
        );
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}

const answering = (review: Review, response: object) => ({
  apiVersion: review.apiVersion,
  kind: "AdmissionReview",
  response: { uid: review.request.uid, allowed: true, ...response },
});
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const patch = (...operations: object[]) => ({ patchType: "JSONPatch", patch: base64(operations) });

onEachServer(
  "admission webhooks",
  (cluster) => {
    let webhook: TestWebhook;
    let stranger: TestWebhook;
    let asked: (Review["request"] & { path: string })[];
    /** The relevant part of the response, or all of it, written by hand. */
    let reply: (review: Review, wire: Parameters<Reply>[1], path: string) => unknown;

    const hook = (type: string, name: string, over: object = {}) => ({
      name: `${name}.${type}.example.com`,
      clientConfig: { url: `${webhook.url}/${type}/${name}`, caBundle: webhook.caBundle },
      rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
      objectSelector: { matchLabels: { [type]: name } },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 2,
      ...over,
    });
    const hooks = (type: string) => [
      hook(type, "fail"),
      hook(type, "ignore", { failurePolicy: "Ignore", timeoutSeconds: 1 }),
      hook(type, "stranger", { clientConfig: { url: stranger.url, caBundle: webhook.caBundle } }),
      hook(type, "nobody", { clientConfig: { url: "https://127.0.0.1:1/", caBundle: webhook.caBundle } }),
      hook(type, "if", { matchConditions: [{ name: "asked", expression: "object.data.ask == 'yes'" }] }),
    ];
    const map = (labels: object, data?: object) => ({
      metadata: { name, labels },
      ...(data ? { data } : {}),
    });
    const create = (labels: object, data?: object) => send(cluster, "POST", maps, map(labels, data));
    const mapPath = () => `${maps}/${name}`;
    // Each test has its own object, because refused and broken ones stay.
    let count = 0;
    let name = "";
    const begin = () => {
      name = `m-${++count}`;
      reply = () => ({});
      asked = [];
    };

    beforeAll(async () => {
      await send(cluster, "POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
      begin();
      webhook = await startTestWebhook(async (body, wire) => {
        const review = body as unknown as Review;
        const path = wire.request.url?.split("?")[0] ?? "";
        asked.push({ ...review.request, path });
        const response = await reply(review, wire, path);
        if (response === undefined) return undefined;
        return "whole" in (response as object) ? response : answering(review, response as object);
      });
      stranger = await startTestWebhook((body) => answering(body as unknown as Review, {}));
      const again = { objectSelector: { matchLabels: { m: "order" } }, reinvocationPolicy: "IfNeeded" };
      const after = { objectSelector: { matchLabels: { m: "order" } } };
      for (const [type, kind, own] of [
        ["m", "mutating", [hook("m", "again", again), hook("m", "after", after)]],
        ["v", "validating", []],
      ] as const) {
        const body = { metadata: { name: "test" }, webhooks: [...hooks(type), ...own] };
        const { code } = await send(cluster, "POST", `${configurations}/${kind}webhookconfigurations`, body);
        expect(code).toBe(201);
      }
      // kube-apiserver sees configurations a little later.
      await vi.waitFor(async () => {
        asked = [];
        await send(cluster, "POST", `${maps}?dryRun=All`, map({ m: "fail", v: "fail" }));
        expect(asked).toHaveLength(2);
      }, patient);
    });
    beforeEach(begin);
    afterAll(async () => {
      await webhook?.close();
      await stranger?.close();
    });

    it.each(["m", "v"])("send the request to %s webhooks", async (type) => {
      await send(cluster, "POST", `${maps}?fieldManager=me`, map({ [type]: "fail" }, { k: "v" }));
      const configMap = { group: "", version: "v1", kind: "ConfigMap" };
      const resource = { group: "", version: "v1", resource: "configmaps" };
      expect(asked).toMatchObject([
        {
          path: `/${type}/fail`,
          kind: configMap,
          resource,
          requestKind: configMap,
          requestResource: resource,
          name,
          namespace: NAMESPACE,
          operation: "CREATE",
          userInfo: { username: "admin", groups: expect.arrayContaining(["system:authenticated"]) },
          object: { apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } },
          oldObject: null,
          dryRun: false,
          options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
        },
      ]);
      const { uid, creationTimestamp } = asked[0]?.object?.metadata ?? {};
      const isString = type === "v" ? expect.any(String) : undefined;
      expect([uid, creationTimestamp ?? undefined]).toEqual([isString, isString]);
    });

    it("get the old object on updates and deletions", async () => {
      await create({ v: "fail" }, { k: "1" });
      await send(cluster, "PATCH", mapPath(), { data: { k: "2" } });
      await send(cluster, "DELETE", mapPath(), { propagationPolicy: "Background" });
      expect(asked.map(({ operation, object, oldObject }) => [operation, object?.data, oldObject?.data])).toEqual([
        ["CREATE", { k: "1" }, undefined],
        ["UPDATE", { k: "2" }, { k: "1" }],
        ["DELETE", undefined, { k: "2" }],
      ]);
      expect(asked.map(({ options }) => options)).toMatchObject([
        { kind: "CreateOptions" },
        { kind: "UpdateOptions" },
        { kind: "DeleteOptions", propagationPolicy: "Background" },
      ]);
    });

    const failed = (type: string, name: string, why: string) =>
      `Internal error occurred: failed calling webhook "${name}.${type}.example.com": ${why}`;

    it.each(["m", "v"])("of type %s may deny with their own message", async (type) => {
      reply = () => ({ allowed: false, status: { code: 418, reason: "Teapot", message: "no coffee" } });
      expect(await create({ [type]: "fail" })).toMatchObject({
        code: 418,
        body: {
          reason: "Teapot",
          message: `admission webhook "fail.${type}.example.com" denied the request: no coffee`,
        },
      });
      reply = () => ({ allowed: false });
      expect(await create({ [type]: "ignore" })).toMatchObject({
        code: 400,
        body: { message: `admission webhook "ignore.${type}.example.com" denied the request without explanation` },
      });
    });

    const garbage: [string, (wire: Parameters<Reply>[1]) => unknown, string][] = [
      ["hangs", () => undefined, 'failed to call webhook: Post "URL?timeout=2s": context deadline exceeded'],
      [
        "hangs up",
        ({ request }) => void request.socket.destroy(),
        'failed to call webhook: Post "URL?timeout=2s": EOF',
      ],
      [
        "answers garbage",
        ({ response }) => void response.end("garbage"),
        "failed to call webhook: couldn't get version/kind; json parse error: ",
      ],
      [
        "fails itself",
        ({ response }) => void response.writeHead(500).end("boom"),
        'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
      ],
      ["answers nothing", () => ({ whole: 1 }), "received invalid webhook response: webhook response was absent"],
      ["answers another question", () => ({ uid: "x" }), 'received invalid webhook response: expected response.uid="'],
      [
        "answers something else",
        () => ({ whole: 1, apiVersion: "admission.k8s.io/v1", kind: "Foo" }),
        'failed to call webhook: no kind "Foo" is registered for version "admission.k8s.io/v1"',
      ],
      [
        "answers with the wrong types",
        () => ({ allowed: "yes" }),
        "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
      ],
    ];
    it.each(garbage.flatMap((row) => ["m", "v"].map((type) => [type, ...row] as const)))(
      "of type %s that %s fail the request, unless they do not matter",
      async (type, _, answer, why) => {
        reply = (__, wire) => answer(wire);
        const { code, body } = await create({ [type]: "fail" });
        expect([code, body.reason]).toEqual([500, "InternalError"]);
        const expected = failed(type, "fail", why.replace("URL", `${webhook.url}/${type}/fail`));
        expect(body.message?.slice(0, expected.length)).toBe(expected);
        expect((await create({ [type]: "ignore" })).code).toBe(201);
      },
    );

    it.each(["m", "v"])("of type %s must be reachable and have a valid certificate", async (type) => {
      const untrusted = await create({ [type]: "stranger" });
      expect(untrusted.body.message).toContain(
        failed(
          type,
          "stranger",
          `failed to call webhook: Post "${stranger.url}/?timeout=2s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
        ),
      );
      const refused = await create({ [type]: "nobody" });
      expect(refused.body.message).toBe(
        failed(
          type,
          "nobody",
          'failed to call webhook: Post "https://127.0.0.1:1/?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused',
        ),
      );
    });

    it.each(["m", "v"])("of type %s are called by their matchConditions", async (type) => {
      reply = () => ({ warnings: ["asked"] });
      expect((await create({ [type]: "if" }, { ask: "no" })).warning).toBeUndefined();
      begin();
      reply = () => ({ warnings: ["asked"] });
      expect((await create({ [type]: "if" }, { ask: "yes" })).warning).toBe('299 - "asked"');
      begin();
      const { code, body } = await create({ [type]: "if" });
      expect([code, body.message]).toEqual([
        403,
        `configmaps "${name}" is forbidden: expression 'object.data.ask == 'yes'' resulted in error: no such key: data`,
      ]);
    });

    it("that mutate become no field managers, and defaults are set again", async () => {
      reply = () => patch({ op: "add", path: "/data/added", value: "x" }, { op: "add", path: "/nope", value: 1 });
      const { body } = await create({ m: "fail" }, { k: "v" });
      expect(body).toMatchObject({ data: { k: "v", added: "x" } });
      expect(body).not.toHaveProperty("nope");
      expect(JSON.stringify(body.metadata.managedFields)).not.toContain("added");
    });

    it("that mutate are called again under reinvocationPolicy IfNeeded", async () => {
      reply = ({ request }, _, path) =>
        patch({
          op: "add",
          path: `/data/${path.slice(3)}${Object.keys(request.object?.data ?? {}).length}`,
          value: "x",
        });
      const { body } = await create({ m: "order" }, { k: "v" });
      expect(Object.keys(body.data ?? {}).sort()).toEqual(["after2", "again1", "again3", "k"]);
    });

    const replace = (path: string, value: unknown) => patch({ op: "replace", path, value });
    it.each<[string, object, number, string]>([
      [
        "the namespace",
        replace("/metadata/namespace", "x"),
        400,
        "the namespace of the provided object does not match",
      ],
      [
        "the kind",
        replace("/kind", "Nope"),
        500,
        'Internal error occurred: no kind "Nope" is registered for version "v1"',
      ],
      ["a type", replace("/data", { k: 1 }), 500, "Internal error occurred: json: cannot unmarshal number"],
      [
        "nothing there is",
        patch({ op: "remove", path: "/nope" }),
        500,
        "Internal error occurred: error in remove for path: '/nope'",
      ],
      ["it to what is invalid", replace("/data", { "b a d": "" }), 422, 'ConfigMap "NAME" is invalid: data[b a d]: '],
    ])("that mutate may not change %s", async (_, response, code, message) => {
      reply = () => response;
      const answer = await create({ m: "fail" }, { k: "v" });
      const expected = message.replace("NAME", name);
      expect([answer.code, answer.body.message?.slice(0, expected.length)]).toEqual([code, expected]);
    });

    it.each<[string, string, unknown, number, string | undefined]>([
      [
        "uid",
        "/metadata/uid",
        "x",
        422,
        'ConfigMap "NAME" is invalid: metadata.uid: Invalid value: "x": field is immutable',
      ],
      [
        "name",
        "/metadata/name",
        "x",
        422,
        'ConfigMap "x" is invalid: metadata.name: Invalid value: "x": field is immutable',
      ],
      ["creationTimestamp", "/metadata/creationTimestamp", "2001-01-01T00:00:00Z", 200, undefined],
    ])("that mutate a change cannot give it another %s", async (_, path, value, code, message) => {
      await create({ m: "fail" }, { k: "v" });
      reply = () => replace(path, value);
      const answer = await send(cluster, "PATCH", mapPath(), { data: { k: "2" } });
      expect([answer.code, answer.body.message]).toEqual([code, message?.replace("NAME", name)]);
    });

    it("may write the object they are called for", async () => {
      await create({ m: "fail" }, { k: "v" });
      let turn = 0;
      reply = async () => {
        if (turn++ === 0) {
          const { body } = await send(cluster, "GET", mapPath());
          const aside = { metadata: { labels: { m: null, v: null, by: "webhook" } } };
          expect(body.data).toEqual({ k: "v" });
          await send(cluster, "PATCH", mapPath(), aside);
        }
        return {};
      };
      // The webhook is called for the inner write too, because the object is already labelled.
      const answer = await send(cluster, "PATCH", mapPath(), { data: { p: "q" } });
      expect(answer.body).toMatchObject({ data: { k: "v", p: "q" }, metadata: { labels: { by: "webhook" } } });
    });

    it("see subresources in their own kinds, and evictions instead of deletions", async () => {
      const both = { m: "fail", v: "fail" };
      const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
      await send(cluster, "POST", `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: "default" } });
      const spec = { containers: [{ name: "c", image: "i" }], automountServiceAccountToken: false };
      await send(cluster, "POST", pods, { metadata: { name: "p", labels: both }, spec });
      asked = [];
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", labels: both } };
      expect((await send(cluster, "POST", `${pods}/p/eviction`, eviction)).code).toBe(201);
      expect(asked.map(({ operation, subResource, kind }) => [operation, subResource, kind])).toEqual(
        ["m", "v"].map(() => ["CREATE", "eviction", { group: "policy", version: "v1", kind: "Eviction" }]),
      );
    });

    it.each(["m", "v"])("of type %s see the creation and the removal of namespaces", async (type) => {
      const labels = { [type]: "fail" };
      await send(cluster, "POST", "/api/v1/namespaces", { metadata: { name, labels } });
      const { body } = await send(cluster, "DELETE", `/api/v1/namespaces/${name}`);
      const [created, deleted] = ["CREATE", "DELETE"].map((sought) =>
        asked.find(
          ({ operation, object, oldObject }) => operation === sought && (object ?? oldObject)?.metadata.labels,
        ),
      );
      expect(created).toMatchObject({ name, namespace: name, object: { status: { phase: "Active" } } });
      expect(deleted).toMatchObject({ name, options: { preconditions: { uid: body.metadata.uid } } });
    });

    it("see TokenRequests with the server's defaults", async () => {
      const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
      const { body } = await send(cluster, "POST", accounts, { metadata: { name } });
      await send(cluster, "POST", `${accounts}/${name}/token`, { metadata: { labels: { m: "fail", v: "fail" } } });
      expect(asked).toMatchObject([
        { name, subResource: "token", object: { spec: { expirationSeconds: 3600 } } },
        {
          name,
          object: {
            metadata: { name, namespace: NAMESPACE, uid: body.metadata.uid },
            spec: { expirationSeconds: 3600, audiences: ["https://kubernetes.default.svc.cluster.local"] },
          },
        },
      ]);
      expect(asked[0]?.object?.metadata).not.toHaveProperty("name");
    });

    it("have no longer timeout than the request", async () => {
      reply = () => undefined;
      const answer = await send(cluster, "POST", `${maps}?timeout=300ms`, map({ v: "ignore" }));
      expect([answer.code, answer.body.reason]).toEqual([504, "Timeout"]);
      expect((await send(cluster, "GET", mapPath())).code).toBe(404);
    });

    it("may delay many writes of one object, which all succeed", async () => {
      await create({ m: "fail", v: "fail" });
      const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
      const answers = await Promise.all(keys.map((key) => send(cluster, "PATCH", mapPath(), { data: { [key]: "x" } })));
      expect(answers.map(({ code }) => code)).toEqual(keys.map(() => 200));
      const { body } = await send(cluster, "GET", mapPath());
      expect(Object.keys(body.data ?? {}).toSorted()).toEqual(keys.toSorted());
    });

    it("do not apply to admission configurations", async () => {
      reply = () => ({ allowed: false });
      const path = `${configurations}/validatingwebhookconfigurations/test`;
      const { code } = await send(cluster, "PATCH", path, { metadata: { labels: { m: "fail", v: "fail" } } });
      expect([code, asked.length]).toEqual([200, 0]);
    });

    it("that are slow do not delay other requests", async () => {
      const waiting: (() => void)[] = [];
      reply = () => new Promise((resolve) => waiting.push(() => resolve({})));
      const slow = Array.from({ length: 20 }, () =>
        send(cluster, "POST", maps, { metadata: { generateName: "slow-", labels: { v: "fail" } } }),
      );
      await expect.poll(() => waiting).toHaveLength(20);
      expect((await create({})).code).toBe(201);
      for (const release of waiting) release();
      expect((await Promise.all(slow)).map(({ code }) => code)).toEqual(slow.map(() => 201));
    });
  },
  { program: "none" },
);
