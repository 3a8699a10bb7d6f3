import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { afterEach, expect, it } from "vitest";
import { NAMESPACE, onEachServer, type Cluster } from "./on-each-server.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const bearer = ({ server }: Cluster): Record<string, string> => ({
  authorization: `Bearer ${server.authority.adminToken}`,
});

function http1(cluster: Cluster, path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(path, cluster.server.url),
      { ca: cluster.server.authority.caPem, agent: false, ...options },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function http2(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let answer: IncomingHttpHeaders = {};
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (received) => (answer = received));
    stream.on("data", (chunk: string) => (text += chunk));
    stream.on("end", () => resolve({ status: Number(answer[":status"]), headers: answer, text }));
    stream.on("error", reject);
    if (body !== undefined) stream.end(body);
  });
}

const kindOf = ({ text }: Answer): unknown => (JSON.parse(text) as { kind?: unknown }).kind;

onEachServer(
  "HTTP",
  (cluster) => {
    const sessions: ClientHttp2Session[] = [];
    const open = (credentials: { cert?: string; key?: string } = {}): ClientHttp2Session => {
      const session = connect(cluster.server.url, { ca: cluster.server.authority.caPem, ...credentials });
      session.on("error", () => {});
      sessions.push(session);
      return session;
    };
    afterEach(() => {
      for (const session of sessions.splice(0)) session.destroy();
    });

    it("speaks HTTP/2, many streams on one session", async () => {
      const session = open();
      const paths = [
        "/version",
        "/api",
        "/apis",
        "/api/v1",
        "/api/v1/namespaces",
        "/api/v1/nodes",
        "/openapi/v3",
        "/healthz",
      ];
      const answers = await Promise.all(paths.map((path) => http2(session, { ":path": path, ...bearer(cluster) })));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
      expect(session.alpnProtocol).toBe("h2");
      expect(kindOf(answers[4] as Answer)).toBe("NamespaceList");
    });

    it("writes while a watch is open on the same session, and the watch sees it", async () => {
      const session = open();
      const collection = `/api/v1/namespaces/default/configmaps`;
      const stream = session.request({ ":path": `${collection}?watch=1`, ...bearer(cluster) });
      const seen = new Promise<string>((resolve) => {
        let text = "";
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          if (text.includes('"over-http2"')) resolve(text);
        });
      });
      await new Promise((resolve) => stream.once("response", resolve));
      const created = await http2(
        session,
        { ":path": collection, ":method": "POST", "content-type": "application/json", ...bearer(cluster) },
        JSON.stringify({ metadata: { name: "over-http2" } }),
      );
      expect(created.status).toBe(201);
      expect(await seen).toMatch(/"type":"ADDED".*"over-http2"/);
      stream.close();
    });

    it("authenticates a client certificate on either protocol", async () => {
      const { certPem, keyPem } = cluster.server.authority.issue({
        commonName: "carl",
        organizations: ["system:masters"],
        purpose: "client",
      });
      const credentials = { cert: certPem, key: keyPem };
      const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const answers = [
        await http2(
          open(credentials),
          { ":path": path, ":method": "POST", "content-type": "application/json" },
          review,
        ),
        await http1(
          cluster,
          path,
          { method: "POST", headers: { "content-type": "application/json" }, ...credentials },
          review,
        ),
      ];
      for (const { status, text } of answers) {
        expect(status).toBe(201);
        expect(JSON.parse(text)).toMatchObject({
          status: { userInfo: { username: "carl", groups: ["system:masters", "system:authenticated"] } },
        });
      }
    });

    it("speaks HTTP/1.1 and keeps the connection", async () => {
      const answer = await http1(cluster, "/api/v1/namespaces/default", { headers: bearer(cluster) });
      expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
      expect(kindOf(answer)).toBe("Namespace");
    });

    it("answers in YAML when asked, and in JSON when protobuf is only preferred to it", async () => {
      const accept = (value: string): RequestOptions => ({ headers: { ...bearer(cluster), accept: value } });
      const yaml = await http1(cluster, "/api/v1/namespaces/default", accept("application/yaml"));
      expect(yaml.headers["content-type"]).toBe("application/yaml");
      expect(yaml.text).toMatch(/^apiVersion: v1\nkind: Namespace\n/);
      const json = await http1(cluster, "/api/v1/namespaces/default", accept("application/json, */*"));
      expect(json.headers["content-type"]).toBe("application/json");
    });

    const refusals: [string, string, RequestOptions, string | undefined, number, string][] = [
      [
        "malformed JSON",
        "/api/v1/namespaces/default/configmaps",
        { method: "POST", headers: { "content-type": "application/json" } },
        "{",
        400,
        "BadRequest",
      ],
      [
        "an unknown media type",
        "/api/v1/namespaces/default/configmaps",
        { method: "POST", headers: { "content-type": "text/html" } },
        "<p>",
        415,
        "UnsupportedMediaType",
      ],
      [
        "an unknown answer type",
        "/api/v1/namespaces/default/configmaps",
        { headers: { accept: "text/html" } },
        undefined,
        406,
        "NotAcceptable",
      ],
      ["an unknown resource", "/api/v1/gadgets", {}, undefined, 404, "NotFound"],
      [
        "a method that is not allowed",
        "/api/v1/namespaces/default",
        { method: "POST", headers: { "content-type": "application/json" } },
        "{}",
        405,
        "MethodNotAllowed",
      ],
      [
        "a body that is too large",
        "/api/v1/namespaces/default/configmaps",
        { method: "POST", headers: { "content-type": "application/json" } },
        `{"a":"${"x".repeat(3_200_000)}"}`,
        413,
        "RequestEntityTooLarge",
      ],
      [
        "a selector that cannot be read",
        "/api/v1/namespaces/default/configmaps?labelSelector=a+in",
        {},
        undefined,
        400,
        "BadRequest",
      ],
      ["a time that is none", "/api/v1/namespaces/default?timeout=soon", {}, undefined, 400, "BadRequest"],
      [
        "a broken continue token",
        "/api/v1/namespaces/default/configmaps?limit=1&continue=xyz",
        {},
        undefined,
        400,
        "BadRequest",
      ],
    ];
    it.each(refusals)("refuses %s with a Status", async (_title, path, options, body, code, reason) => {
      const headers = { ...bearer(cluster), ...(options.headers as Record<string, string> | undefined) };
      const answer = await http1(cluster, path, { ...options, headers }, body);
      expect(answer.status).toBe(code);
      expect(JSON.parse(answer.text)).toMatchObject({
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason,
        code,
      });
    });

    it("refuses requests without credentials or with an unknown token", async () => {
      const nobody = await http1(cluster, `/api/v1/namespaces/${NAMESPACE}/configmaps`);
      expect(nobody.status).toBe(403);
      const stranger = await http1(cluster, "/version", { headers: { authorization: "Bearer made-up" } });
      expect(stranger).toMatchObject({ status: 401 });
      expect(JSON.parse(stranger.text)).toMatchObject({ kind: "Status", reason: "Unauthorized", code: 401 });
    });
  },
  { program: process.execPath },
);
