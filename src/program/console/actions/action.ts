import type { JsonObject } from "../../../language/object/json.ts";
import type { UserCluster } from "../topics/topic-context.ts";

export interface ActionContext {
  readonly cluster: UserCluster;
  /** All clusters of this console, by name. */
  readonly clusters: ReadonlyMap<string, UserCluster>;
  /** The page is gone, or the console stops. */
  readonly signal: AbortSignal;
}

/** Answers `POST /api/NAME`. An `ApiError` that it throws is answered in the words of the API server. */
export type Action = (body: JsonObject, context: ActionContext) => Promise<object>;

/** The page sent something that is no request. */
export class RequestError extends Error {}
