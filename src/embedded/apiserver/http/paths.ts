import { aggregatedDiscovery } from "../discovery/aggregated-discovery.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../discovery/discovery.ts";
import { contentHash } from "../openapi/content-hash.ts";
import type { Registry } from "../registry.ts";
import { methodNotAllowed, noSuchResource, StatusError } from "../status-error.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { negotiate, type Representation } from "./negotiate.ts";
import { respondJson, respondObject, respondText } from "./respond.ts";

export interface PathsOptions {
  readonly registry: Registry;
  /** `host:port` of the server for clients. */
  readonly address: () => string;
  /** Why the server is not ready; undefined if it is. */
  readonly unready: () => string | undefined;
}

export interface PathExchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

interface Document {
  readonly body: string | Buffer;
  readonly etag: string;
}

const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

const healthPaths = new Set(["/healthz", "/livez", "/readyz"].flatMap((path) => [path, `${path}/ping`]));

/** Non-resource paths: health, version, discovery, schemas. Documents are cached until the resources change. */
export class Paths {
  readonly #options: PathsOptions;
  #generation = -1;
  readonly #documents = new Map<string, Document>();

  constructor(options: PathsOptions) {
    this.#options = options;
  }

  async answer({ method, path, query, request, response }: PathExchange): Promise<void> {
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const known =
      healthPaths.has(trimmed) ||
      trimmed === "/version" ||
      trimmed === "/" ||
      /^\/(apis?(\/|$)|openapi\/)/.test(trimmed);
    if (!known) return respondText(response, 404, "404 page not found\n");
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
    if (healthPaths.has(trimmed)) return this.#health(trimmed, query, response);
    if (trimmed === "/version") return respondJson(response, 200, JSON.stringify(version));
    if (trimmed === "/") return respondJson(response, 200, JSON.stringify({ paths: this.#index() }));
    if (trimmed.startsWith("/openapi/")) return this.#openapi(trimmed, request, response);
    return this.#discovery(trimmed, request, response);
  }

  #health(path: string, query: URLSearchParams, response: HttpResponse): void {
    const why = path === "/livez" || path.endsWith("/ping") ? undefined : this.#options.unready();
    if (why !== undefined) return respondText(response, 500, `${why}\n${path.slice(1)} check failed\n`);
    respondText(
      response,
      200,
      query.has("verbose") ? `[+]ping ok\n[+]storage ok\n${path.slice(1)} check passed\n` : "ok",
    );
  }

  async #discovery(path: string, request: HttpRequest, response: HttpResponse): Promise<void> {
    const [, root, group = "", groupVersion = "", ...deeper] = path.split("/");
    // Longer paths name resources; this one has a segment that cannot be a name.
    if (deeper.length > 0 || (root === "api" && groupVersion !== "") || path.includes("//")) throw noSuchResource();
    const resources = this.#options.registry.all();
    const representation = negotiate(request.headers.accept, ["APIGroupDiscoveryList"]) ?? notAcceptable();
    if (group === "" && representation.as === "APIGroupDiscoveryList")
      return this.#aggregated(root === "api" ? "core" : "groups", representation, request, response);
    const found =
      root === "api"
        ? group === ""
          ? apiVersions(this.#options.address())
          : apiResourceList(resources, "", group)
        : group === ""
          ? apiGroupList(resources)
          : groupVersion === ""
            ? apiGroup(resources, group)
            : apiResourceList(resources, group, groupVersion);
    if (found) return respondObject(response, 200, found, { ...representation, as: "object" });
    // As kube-apiserver: plain text for an unknown group, a Status for an unknown version of a known group.
    if (root === "apis" && !this.#options.registry.hasGroup(group))
      return respondText(response, 404, "404 page not found\n");
    throw noSuchResource();
  }

  #aggregated(
    scope: "core" | "groups",
    { version }: Representation,
    request: HttpRequest,
    response: HttpResponse,
  ): void {
    const wanted = version === "v2beta1" ? "v2beta1" : "v2";
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`;
    const document = this.#document(`discovery ${scope} ${wanted}`, () =>
      JSON.stringify(aggregatedDiscovery(this.#options.registry.all(), scope, wanted)),
    );
    if (document) respondDocument(request, response, document, contentType);
  }

  /** Schemas are large and rarely requested: their code is loaded on demand. */
  async #openapi(path: string, request: HttpRequest, response: HttpResponse): Promise<void> {
    const { openapiIndex, schemaDocument, swaggerDocument } = await import("../openapi/openapi-index.ts");
    const resources = this.#options.registry.all();
    if (path === "/openapi/v2") {
      // kubectl writes the media type with `.`, other clients with `@`.
      const format = request.headers.accept?.includes("openapi.spec.v2") ? "protobuf" : "json";
      const swagger = this.#document(`openapi v2 ${format}`, () => swaggerDocument(resources, format));
      const contentType = format === "json" ? "application/json" : OPENAPI_V2_PROTOBUF;
      return respondDocument(request, response, swagger as Document, contentType);
    }
    const named = (name: string): Document | undefined =>
      this.#document(`openapi ${name}`, () => schemaDocument(resources, name));
    if (path === "/openapi/v3") {
      const index = openapiIndex(resources, (name) => named(name)?.etag ?? "");
      return respondJson(response, 200, JSON.stringify(index), "text/plain; charset=utf-8");
    }
    const document = path.startsWith("/openapi/v3/") ? named(path.slice("/openapi/v3/".length)) : undefined;
    if (!document) return respondText(response, 404, "404 page not found\n");
    respondDocument(request, response, document);
  }

  #document(key: string, make: () => Document["body"] | undefined): Document | undefined {
    if (this.#generation !== this.#options.registry.generation) {
      this.#generation = this.#options.registry.generation;
      this.#documents.clear();
    }
    let document = this.#documents.get(key);
    if (!document) {
      const body = make();
      // Unknown names are not cached: a client could ask for any number of them.
      if (body === undefined) return undefined;
      this.#documents.set(key, (document = { body, etag: contentHash(body) }));
    }
    return document;
  }

  #index(): string[] {
    const versions = this.#options.registry
      .all()
      .map(({ group, version }) => (group === "" ? `/api/${version}` : `/apis/${group}/${version}`));
    return [
      ...new Set([
        "/api",
        "/apis",
        ...versions,
        "/healthz",
        "/livez",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
      ]),
    ].toSorted();
  }
}

/** 304 if the client already has this version of the document. */
function respondDocument(
  request: HttpRequest,
  response: HttpResponse,
  { body, etag }: Document,
  contentType?: string,
): void {
  response.setHeader("etag", `"${etag}"`);
  if (request.headers["if-none-match"] !== `"${etag}"`) return respondJson(response, 200, body, contentType);
  response.writeHead(304);
  response.end();
}

function notAcceptable(): never {
  throw new StatusError(
    406,
    "NotAcceptable",
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml",
    {},
  );
}

/** The Kubernetes version whose behaviour this server has; kubectl compares it with its own. */
const version = {
  major: "1",
  minor: "35",
  emulationMajor: "1",
  emulationMinor: "35",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "34",
  gitVersion: "v1.35.4+attune",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: `node ${process.versions.node}`,
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};
