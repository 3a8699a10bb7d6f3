import {
  StatusError,
  badRequest,
  internal,
  methodNotAllowed,
  noStreams,
  noSuchResource,
  notFound,
} from "../status-error.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { denied } from "../auth/cluster-authorizer.ts";
import type { User } from "../auth/user.ts";
import type { Resource } from "../resource.ts";
import { perform } from "../request/action.ts";
import type { Answer, RequestContext, Services } from "../request/context.ts";
import { create } from "../request/create.ts";
import { remove, removeCollection } from "../request/delete.ts";
import { get } from "../request/get.ts";
import { list } from "../request/list.ts";
import { patch } from "../request/patch.ts";
import { readScale, writeScale } from "../request/subresource/scale.ts";
import { update } from "../request/update.ts";
import { watch } from "../request/watch.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import { drainBody, LateBodyError, parseObject, readBody } from "../body/body.ts";
import { closeAfterResponse, isGone, tlsSocketOf, type HttpRequest, type HttpResponse } from "./exchange.ts";
import { negotiate, plainJson, type Representation } from "./negotiate.ts";
import type { Paths } from "./paths.ts";
import { narrowedBySelector, parseRequest, type ResourceRequest } from "./request-info.ts";
import { requestTimeout } from "./request-timeout.ts";
import { respond, respondError, respondText } from "./respond.ts";
import { sendWarnings } from "./warnings.ts";
import { WatchBudget } from "./watch-budget.ts";
import { EventFrames, WatchFrames } from "./watch-frames.ts";
import { WatchStream } from "./watch-stream.ts";

/** Answers a request: authenticate, authorise, handle, respond. Errors become a Status here. */
export class Dispatcher {
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #paths: Paths;
  readonly #log: Log;
  readonly #frames = new EventFrames();
  readonly #watches = new WatchBudget();

  constructor(services: Services, authenticator: Authenticator, paths: Paths, log: Log) {
    this.#services = services;
    this.#authenticator = authenticator;
    this.#paths = paths;
    this.#log = log;
  }

  handle(request: HttpRequest, response: HttpResponse): void {
    response.on("error", (error: unknown) => this.#log.debug({ error: String(error) }, "client closed the connection"));
    this.#answer(request, response).catch(async (error: unknown) => {
      try {
        const status = this.#statusOf(error, request);
        if (!(error instanceof LateBodyError)) await drainBody(request, this.#services.clock);
        if (!request.complete) closeAfterResponse(response);
        if (!response.headersSent)
          await respondError(response, status, negotiate(request.headers.accept, []) ?? plainJson);
        else response.end();
      } catch (failure) {
        this.#log.error({ error: String(failure) }, "send response failed");
      }
    });
  }

  #statusOf(error: unknown, request: HttpRequest): StatusError {
    if (error instanceof StatusError) return error;
    if (error instanceof StaleWriteError) return new StatusError(409, "Conflict", error.message, {});
    this.#log.error(
      {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        method: request.method,
        url: request.url,
      },
      "request failed",
    );
    return internal(error instanceof Error ? error.message : String(error), { cause: error });
  }

  async #answer(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const cut = url.indexOf("?");
    const path = cut < 0 ? url : url.slice(0, cut);
    const query = new URLSearchParams(cut < 0 ? "" : url.slice(cut + 1));
    const info = parseRequest(method, path, query);
    const deadline = this.#services.clock.now() + requestTimeout(info, query);
    const user = this.#user(request);
    const asked = narrowedBySelector(info, query);
    const decision = this.#services.authorizer.authorize(user, asked);
    if (!decision.allowed) throw denied(user, asked, decision);
    if (info.type === "path") return this.#paths.answer({ method, path, query, request, response });
    return this.#resource(info, { user, query, deadline }, request, response);
  }

  #user(request: HttpRequest): User {
    const socket = tlsSocketOf(request);
    return this.#authenticator.authenticate({
      clientCertificate: socket.authorized ? peerOf(socket) : undefined,
      authorization: request.headers.authorization,
      rawHeaders: request.rawHeaders,
    });
  }

  async #resource(
    info: ResourceRequest,
    { user, query, deadline }: { user: User; query: URLSearchParams; deadline: number },
    request: HttpRequest,
    response: HttpResponse,
  ): Promise<void> {
    const { registry } = this.#services;
    const resource = registry.find(info.group, info.version, info.resource);
    if (!resource) {
      if (!registry.builtin.some(({ group }) => group === info.group))
        return respondText(response, 404, "404 page not found\n");
      throw noSuchResource();
    }
    const context: RequestContext = {
      services: this.#services,
      resource,
      user,
      namespace: resource.namespaced ? info.namespace : "",
      name: info.name,
      subresource: info.subresource,
      query,
      userAgent: request.headers["user-agent"] ?? "",
      warnings: [],
      deadline,
      isGone: () => isGone(response),
    };
    if (!isPlaced(resource, info)) throw noSuchResource();
    const part = Object.hasOwn(resource.subresources, info.subresource)
      ? resource.subresources[info.subresource]
      : undefined;
    if (part?.type === "connect") {
      if (!part.verbs.includes(info.verb as never)) throw methodNotAllowed();
      const { namespace, name } = context;
      return part.connect({ namespace, name, path: pathBehind(request, info), query, request, response });
    }
    if (request.method === "HEAD") throw methodNotAllowed();
    const representation = representationFor(request, resource, info.verb, query);
    if (info.verb === "watch") {
      requireVerb(context, "watch");
      const frames = new WatchFrames(context, representation, this.#frames);
      return watch(context, new WatchStream(response, frames, this.#watches));
    }
    const answer = await answered(context, info.verb, request, response);
    return respond(response, context, answer, representation);
  }
}

async function answered(
  context: RequestContext,
  verb: string,
  request: HttpRequest,
  response: HttpResponse,
): Promise<Answer> {
  // Unsupported verbs on built-in kinds are rejected before warnings are sent, as kube-apiserver does.
  if (context.resource.origin === "custom") sendWarnings(response, context);
  const handle = handlerFor(context, verb);
  try {
    return await handle(context, request);
  } catch (error) {
    sendWarnings(response, context);
    throw error;
  }
}

/** `nodes/NAME/proxy/metrics?x` → `/metrics?x`. Not decoded: the kubelet decodes it. */
function pathBehind({ url = "" }: HttpRequest, { group, namespace }: ResourceRequest): string {
  const cut = url.indexOf("?");
  const path = cut < 0 ? url : url.slice(0, cut);
  const before = (group === "" ? 3 : 4) + (namespace === "" ? 0 : 2) + 3;
  return `/${path.split("/").slice(before).join("/")}${cut < 0 ? "" : url.slice(cut)}`;
}

const peers = new WeakMap<object, { subject: never; fingerprint256: string }>();

/** Node builds the certificate on every call: once per connection is enough. */
function peerOf(socket: ReturnType<typeof tlsSocketOf>): { subject: never; fingerprint256: string } {
  let peer = peers.get(socket);
  if (!peer) peers.set(socket, (peer = socket.getPeerCertificate() as never));
  return peer;
}

/** Computed kinds (reviews) have no metadata, so they have no reduced forms. */
const reducedForms = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"];

function representationFor(
  request: HttpRequest,
  { compute }: Resource,
  verb: string,
  query: URLSearchParams,
): Representation {
  const found = negotiate(request.headers.accept, compute ? [] : reducedForms);
  if (!found)
    throw new StatusError(
      406,
      "NotAcceptable",
      "only the following media types are accepted: application/json, application/yaml",
      {},
    );
  if (found.as === `PartialObjectMetadata${verb === "list" ? "" : "List"}`)
    throw notAcceptable(`you requested ${found.as}, but what was asked for is ${verb === "list" ? "a" : "no"} list`);
  if (verb === "watch" && found.format === "yaml")
    throw notAcceptable("only the following media types are accepted: application/json;stream=watch");
  const include = query.get("includeObject");
  if (found.as === "Table" && include && !["None", "Metadata", "Object"].includes(include))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  return found;
}

function notAcceptable(message: string): StatusError {
  return new StatusError(406, "NotAcceptable", message);
}

/** Whether the URL names a namespace exactly if the kind needs one. */
function isPlaced(resource: Resource, info: ResourceRequest): boolean {
  if (resource.namespaced) return info.namespace !== "" || info.name === "";
  return info.namespace === "" || (resource.plural === "namespaces" && resource.group === "");
}

type Handler = (context: RequestContext, request: HttpRequest) => Promise<Answer> | Answer;

const main: Record<string, Handler> = {
  get,
  list,
  create: async (context, request) => create(context, await objectIn(context, request, context.resource.kind)),
  update: async (context, request) => update(context, await objectIn(context, request, context.resource.kind)),
  patch: async (context, request) =>
    patch(context, String(await bodyOf(context, request)), request.headers["content-type"]),
  delete: async (context, request) => remove(context, await optionsIn(context, request)),
  deletecollection: async (context, request) => removeCollection(context, await optionsIn(context, request)),
};

/** Subresources that this server does not serve, with a message of their own. */
const streams = new Set(["attach", "exec", "portforward"]);

function handlerFor(context: RequestContext, verb: string): Handler {
  const { resource, subresource } = context;
  if (subresource === "") {
    if (resource.compute && verb === "create")
      return async (context, request) => perform(context, await objectIn(context, request, resource.kind));
    if (resource.namespaced && context.namespace === "" && verb !== "list") throw methodNotAllowed();
    requireVerb(context, verb);
    return main[verb] as Handler;
  }
  const part = Object.hasOwn(resource.subresources, subresource) ? resource.subresources[subresource] : undefined;
  if (!part || part.type === "connect") {
    if (resource.origin === "custom") throw notFound(resource.group, resource.plural, context.name);
    throw resource.plural === "pods" && streams.has(subresource) ? noStreams(subresource) : noSuchResource();
  }
  if (part.type === "action") {
    if (!part.verbs.includes(verb as never)) throw methodNotAllowed();
    return async (context, request) => perform(context, await objectIn(context, request, part.kind));
  }
  const allowed: readonly string[] = (part.type === "status" && part.verbs) || ["get", "update", "patch"];
  if (!allowed.includes(verb)) throw methodNotAllowed();
  if (part.type === "status") return main[verb] as Handler;
  return verb === "get"
    ? (context) => readScale(context, part)
    : async (context, request) =>
        writeScale(context, part, {
          verb,
          body: await bodyOf(context, request),
          contentType: request.headers["content-type"],
        });
}

function requireVerb({ resource, name }: RequestContext, verb: string): void {
  if (
    !resource.verbs.includes(verb as never) ||
    (verb === "create" && name !== "") ||
    (["update", "patch"].includes(verb) && name === "") ||
    (!Object.hasOwn(main, verb) && verb !== "watch")
  )
    throw methodNotAllowed();
}

function bodyOf(context: RequestContext, request: HttpRequest): Promise<Buffer> {
  const { services, deadline, user } = context;
  const owners = [user.name, tlsSocketOf(request)];
  return readBody(request, { clock: services.clock, deadline, budget: services.bodies, owners });
}

async function objectIn(context: RequestContext, request: HttpRequest, kind: string): ReturnType<typeof parseObject> {
  return parseObject(await bodyOf(context, request), request.headers["content-type"], kind);
}

async function optionsIn(context: RequestContext, request: HttpRequest) {
  const body = await bodyOf(context, request);
  if (body.length === 0) return null;
  return (await parseObject(body, request.headers["content-type"], "DeleteOptions")).value;
}
