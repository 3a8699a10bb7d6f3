import { createHash } from "node:crypto";
import { ifThere, isConflict, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds, untyped } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { type Metrics, noMetrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { machineConfigKind } from "../../../domain/machine-config/api.ts";
import { Pools } from "../../../domain/machine-config/pools.ts";
import { refusalOf } from "../../../domain/rollout/first-boot/admit.ts";
import { answerFirstBoot, type FirstBootAnswer } from "../../../domain/rollout/first-boot/answer.ts";
import {
  audience,
  claimPatch,
  firstBootNamespace,
  type Invitation,
  invitationName,
  readInvitation,
  unrepeatable,
} from "../../../domain/rollout/first-boot/invitation.ts";
import type { RolloutCaches } from "../../../domain/rollout/rollout-controller.ts";
import { writeJson } from "../../../language/object/exact-json.ts";
import { at } from "../../../language/object/json.ts";
import { type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { type PayloadAnswer, type PayloadRequest, refused } from "./payload-server.ts";
import { accountName, readClaims } from "./token-claims.ts";

export interface PayloadAnswersOptions {
  /** Of this replica: whether it leads or not, the API server lets one client claim a token. */
  readonly client: Client;
  readonly caches: RolloutCaches;
  /** Secrets of the namespace. */
  readonly invitations: Informer;
  readonly recorder: { record(event: PlannedEvent): void };
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

const tokenReviewKind = untyped("authentication.k8s.io/v1", "TokenReview", "tokenreviews", false);
const fieldManager = "attune-first-boot";
/** All nodes of a pool get the same bytes. */
const mostPayloads = 4;

/** Answers machines that are no nodes yet: verifies the token, claims it, and returns the config of the pool. */
export class PayloadAnswers {
  readonly #options: PayloadAnswersOptions;
  readonly #count: (code: number) => void;
  readonly #payloads = new Map<string, Uint8Array>();

  constructor(options: PayloadAnswersOptions) {
    this.#options = options;
    const requests = (options.metrics ?? noMetrics).counter(
      "attune_first_boot_requests_total",
      "Requests of machines before they are nodes, by status code.",
      ["code"],
    );
    for (const code of [200, 204, 401, 409, 503]) requests.labels({ code: String(code) });
    this.#count = (code) => requests.labels({ code: String(code) }).inc();
  }

  async answer(request: PayloadRequest): Promise<PayloadAnswer> {
    const answer = await this.#answer(request);
    this.#count(answer.code);
    return answer;
  }

  async #answer(request: PayloadRequest): Promise<PayloadAnswer> {
    const { caches, invitations, log } = this.#options;
    if (![invitations, caches.nodes, caches.pools, caches.machineConfigs].every(({ synced }) => synced))
      return later("the operator has just started");
    const invitation = await this.#invitationOf(request.token);
    if (invitation === "unseen") return later("the token is new: this replica of the operator has not seen it yet");
    if (!invitation) return refused(401, "no valid token for a first boot: it has ended, or was replaced or deleted");
    const { node } = invitation;
    const keyHash = request.key ? createHash("sha256").update(request.key).digest("hex") : undefined;
    const hasJoined = caches.nodes.get(node) !== undefined;
    const refusal = refusalOf({ invitation, pool: request.pool, keyHash, hasJoined });
    if (refusal) {
      const { status, reason, message } = refusal;
      log.warn({ node, reason, from: request.from }, "first boot refused");
      this.#record("Warning", invitation.pool, `FirstBoot${reason}`, `${message} (asked from ${request.from})`);
      return refused(status, message);
    }
    const found = await this.#config(request);
    if (found.type === "refused")
      return found.status === 503 ? later(found.message) : refused(found.status, found.message);
    const config = found.type === "payload" ? found.config : "";
    if (!(await this.#claim(invitation, { by: keyHash ?? unrepeatable, config })))
      return later("the token was used at the same moment");
    log.info({ node, pool: invitation.pool, config, from: request.from }, "first boot");
    if (found.type === "nothing") return { code: 204, body: "" };
    this.#record("Normal", invitation.pool, "FirstBootServed", `Node ${node} boots first with MachineConfig ${config}`);
    return { code: 200, body: found.bytes };
  }

  /** Of a token that the API server has verified. Tokens that name no invitation are refused without asking it. */
  async #invitationOf(token: string): Promise<Invitation | "unseen" | undefined> {
    const { client, invitations, clock } = this.#options;
    const claims = readClaims(token, clock.now());
    const secret = claims && invitations.get(`${firstBootNamespace}/${claims.name}`);
    const invitation = secret && readInvitation(secret);
    // A refusal is final for the machine.
    if (!invitation || invitation.uid !== claims?.uid) return claims?.isNew ? "unseen" : undefined;
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {} };
    const { status } = await client.create(tokenReviewKind, { ...review, spec: { token, audiences: [audience] } });
    const isVerified = at(status, "authenticated") === true && at(status, "user", "username") === accountName;
    return isVerified ? invitation : undefined;
  }

  async #config({
    pool,
    accept,
  }: PayloadRequest): Promise<
    Exclude<FirstBootAnswer, { type: "payload" }> | { type: "payload"; config: string; bytes: Uint8Array }
  > {
    const { client, caches } = this.#options;
    const answer = await answerFirstBoot(
      { pool, accept },
      {
        pool: (name) => caches.pools.get(name),
        selects: (name) => {
          const pools = new Pools(caches.pools.list());
          return caches.machineConfigs
            .list()
            .some(({ metadata }) => pools.selecting(metadata.labels ?? {}).includes(name));
        },
        config: (name) => ifThere(client.get(machineConfigKind, name)),
      },
    );
    if (answer.type !== "payload") return answer;
    const { config, payload } = answer;
    return {
      type: "payload",
      config,
      bytes: this.#bytes(JSON.stringify([config, at(payload, "ignition", "version")]), payload),
    };
  }

  #bytes(key: string, payload: object): Uint8Array {
    const bytes = this.#payloads.get(key) ?? Buffer.from(writeJson(payload));
    this.#payloads.delete(key);
    this.#payloads.set(key, bytes);
    const [oldest] = this.#payloads.keys();
    if (this.#payloads.size > mostPayloads && oldest !== undefined) this.#payloads.delete(oldest);
    return bytes;
  }

  /** Whether this request, or one before it with the same key, is the one that the token is for. */
  async #claim(invitation: Invitation, claim: { readonly by: string; readonly config: string }): Promise<boolean> {
    if (invitation.claim?.by === claim.by && invitation.claim.config === claim.config) return true;
    const name = invitationName(invitation.node);
    const patch = { type: "merge", patch: claimPatch(invitation, claim) } as const;
    try {
      await this.#options.client.patch(kinds.secret, name, patch, { namespace: firstBootNamespace, fieldManager });
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  #record(type: "Normal" | "Warning", pool: string, reason: string, message: string): void {
    const found = this.#options.caches.pools.get(pool);
    if (found) this.#options.recorder.record({ regarding: referenceTo(found), type, reason, message });
  }
}

/** The client tries again. */
function later(message: string): PayloadAnswer {
  return { ...refused(503, message), retryAfterSeconds: 1 };
}
