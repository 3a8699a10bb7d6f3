import type { IncomingMessage, ServerResponse } from "node:http";
import type { SessionAnswer, SessionKey } from "../../../console/protocol/answers.ts";
import { isApiError } from "../../cluster/kube/api-error.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { errorText } from "../../cluster/runtime/error-text.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { get, type JsonObject } from "../../language/object/json.ts";
import { type Action, RequestError } from "./actions/action.ts";
import { actions } from "./actions/actions.ts";
import { readJson, sendError, sendJson } from "./http/json-body.ts";
import { hashOf, type Sessions } from "./http/sessions.ts";
import { type Streams, topicNames } from "./stream/streams.ts";
import type { User, Users } from "./users.ts";

export interface ApiOptions {
  readonly users: Users;
  readonly streams: Streams;
  readonly sessions: Sessions | undefined;
  /** Who shows it gets a new link: `attune console --url`. Its hash. */
  readonly linkKey: string | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

const smallBody = 20_000;
/** The API server takes no larger objects than 3 MB; a folder of manifests may have several. Reading them takes a second. */
const largeBody = 4 * 2 ** 20;

/** Everything below /api. A request has passed the guard. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async serve(call: Call): Promise<void> {
    const { request, response, url } = call;
    const route = `${request.method} ${url.pathname}`;
    if (route === "POST /api/session") return this.#signIn(call);
    if (route === "POST /api/link") return this.#link(call);
    const user = await this.#identify(call);
    if (route === "GET /api/session") {
      const signIn = this.#options.sessions ? "link" : "token";
      return sendJson(response, 200, { signIn, ...(user ? { user: user.name } : {}) } satisfies SessionAnswer);
    }
    if (!user) return sendError(response, 401, { error: "sign in first", reason: "Unauthorized" });
    if (route === "DELETE /api/session") return this.#signOut(call);
    if (route === "GET /api/stream") return this.#stream(user, call);
    const [, id] = /^PUT \/api\/stream\/([0-9a-f-]{36})\/topics$/.exec(route) ?? [];
    if (id !== undefined) return this.#changeTopics(user, id, call);
    const [, name = ""] = /^POST \/api\/([a-z]+)$/.exec(route) ?? [];
    const action = actions.get(name);
    if (action) return this.#act(user, action, call);
    sendError(response, 404, { error: `${route}: there is no such request` });
  }

  async #identify({ request }: Call): Promise<User | undefined> {
    return this.#options.users.identify(request.headers.authorization);
  }

  async #signIn({ request, response }: Call): Promise<void> {
    const { sessions, log } = this.#options;
    const token = get(await readJson(request, smallBody), "token");
    if (!sessions || typeof token !== "string")
      return sendError(response, 400, { error: "this console has no links: sign in with a token of the cluster" });
    const redeemed = sessions.redeem(token);
    if (redeemed.type === "session") return sendJson(response, 200, { key: redeemed.key } satisfies SessionKey);
    log.warn({ reason: redeemed.reason }, "refused the token of a link to the console");
    const why = { used: "was used before", expired: "has expired", unknown: "is not valid" }[redeemed.reason];
    sendError(response, 401, {
      error: `this link ${why}; attune console --url prints a new one`,
      reason: "Unauthorized",
    });
  }

  async #link({ request, response }: Call): Promise<void> {
    const { sessions, linkKey } = this.#options;
    const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (!sessions || linkKey === undefined || given === undefined || hashOf(given) !== linkKey)
      return sendError(response, 401, { error: "this key gives no links", reason: "Unauthorized" });
    sendJson(response, 200, { token: sessions.issue() });
  }

  #signOut({ request, response }: Call): void {
    this.#options.sessions?.end(/^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "");
    response.writeHead(204).end();
  }

  #stream(user: User, { request, response, url }: Call): void {
    const { users, streams } = this.#options;
    const query = url.searchParams;
    const hub = users.hub(user, query.get("cluster") ?? undefined);
    if (!hub) return sendError(response, 404, { error: `this console has no cluster ${query.get("cluster")}` });
    const problem = streams.serve({ request, response, user, hub, query });
    if (problem !== undefined) sendError(response, 400, { error: problem });
  }

  async #changeTopics(user: User, id: string, { request, response }: Call): Promise<void> {
    const topics = get(await readJson(request, smallBody), "topics");
    const names = Array.isArray(topics) ? topicNames(topics.join(",")) : undefined;
    if (!names) return sendError(response, 400, { error: "topics: a list of at most 50 names" });
    if (!this.#options.streams.change(user, id, names))
      return sendError(response, 404, { error: "there is no such stream" });
    response.writeHead(204).end();
  }

  /** With the rights of the user: what they may not do, the API server refuses. */
  async #act(user: User, action: Action, { request, response }: Call): Promise<void> {
    const body: JsonObject | undefined = await readJson(request, largeBody);
    if (!body) return sendError(response, 400, { error: "the body must be a JSON object of at most 4 MiB" });
    const { users, signal } = this.#options;
    const { cluster: name } = body;
    const cluster = users.cluster(user, typeof name === "string" ? name : undefined);
    if (!cluster) return sendError(response, 404, { error: `this console has no cluster ${JSON.stringify(name)}` });
    const stop = new LinkedAbort(signal);
    response.once("close", stop.abort);
    try {
      sendJson(response, 200, await action(body, { cluster, clusters: user.clusters, signal: stop.signal }));
    } catch (error) {
      if (stop.aborted) return;
      if (!isApiError(error) && !(error instanceof RequestError)) throw error;
      const code = isApiError(error) ? (error.code >= 400 && error.code < 500 ? error.code : 502) : 400;
      sendError(response, code, { error: errorText(error), ...(isApiError(error) ? { reason: error.reason } : {}) });
    } finally {
      stop.unlink();
    }
  }
}
