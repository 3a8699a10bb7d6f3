import { type Invitation, unrepeatable } from "./invitation.ts";

export interface AdmitInput {
  /** Of the token, which the API server has verified. */
  readonly invitation: Invitation;
  /** That the client asks for. */
  readonly pool: string;
  /** Hash of the key that the client sent with the token. */
  readonly keyHash: string | undefined;
  /** Whether the cluster has a Node of this name. */
  readonly hasJoined: boolean;
}

export interface Refusal {
  readonly status: number;
  /** For events and metrics. */
  readonly reason: "WrongPool" | "NodeHasJoined" | "TokenReused";
  readonly message: string;
}

type Check = (input: AdmitInput) => Refusal | undefined;

const asksForItsPool: Check = ({ invitation: { node, pool }, pool: asked }) =>
  asked === pool
    ? undefined
    : { status: 403, reason: "WrongPool", message: `the token is for node ${node} in pool ${pool}, not ${asked}` };

const isNoNodeYet: Check = ({ invitation: { node }, hasJoined }) =>
  hasJoined
    ? { status: 409, reason: "NodeHasJoined", message: `node ${node} has joined: its agent gets its config` }
    : undefined;

/** The key never leaves the machine, so that another client with the same token is told apart from a second try. */
const isFirstOrSameClient: Check = ({ invitation: { node, claim }, keyHash }) =>
  !claim || (keyHash !== undefined && claim.by !== unrepeatable && claim.by === keyHash)
    ? undefined
    : {
        status: 409,
        reason: "TokenReused",
        message: `the token of node ${node} was used by another client: issue a new one, and find out who has used it`,
      };

const checks: readonly Check[] = [asksForItsPool, isNoNodeYet, isFirstOrSameClient];

/** Why a client with a verified token gets no config; undefined if it gets one. */
export function refusalOf(input: AdmitInput): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(input);
    if (refusal) return refusal;
  }
  return undefined;
}
