import { badRequest, internal, StatusError } from "../../status-error.ts";
import type { Attributes } from "../admission.ts";
import { admissionReview, reviewVersion, type Shown } from "./admission-review.ts";
import { AnswerFault, readAnswer, UnreadableAnswer, type Refusal, type ReviewAnswer } from "./review-answer.ts";
import type { Webhook, WebhookDependencies } from "./webhook.ts";
import type { Candidate } from "./webhook-index.ts";

/** A webhook could not be called, or its response is invalid. The failurePolicy decides the result. */
export class CallFailure extends Error {
  constructor(webhook: string, why: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`, options);
  }
}

export interface WebhookCall {
  readonly candidate: Candidate;
  readonly attributes: Attributes;
  readonly shown: Shown;
  readonly mutating: boolean;
}

/** Calls one webhook about one write. Throws a StatusError if it denies the write. */
export async function askWebhook(
  { candidate, attributes, shown, mutating }: WebhookCall,
  { client, clock }: Pick<WebhookDependencies, "client" | "clock">,
): Promise<ReviewAnswer> {
  const {
    hook: { webhook },
    shownAs,
  } = candidate;
  const { name, admissionReviewVersions } = webhook;
  if (attributes.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  const version = reviewVersion(admissionReviewVersions ?? []);
  if (!version) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(name, `could not create admission objects: ${why}`);
  }
  const review = admissionReview(version, attributes, shownAs, shown);
  const timeoutMs = Math.min((webhook.timeoutSeconds ?? 10) * 1000, attributes.deadline - clock.now());
  if (timeoutMs <= 0) throw timedOut();
  const answer = await answered(webhook, client.ask(webhook.clientConfig ?? {}, review.body, { timeoutMs }));
  try {
    const read = readAnswer(answer, review, mutating);
    for (const warning of read.warnings) attributes.warnings.push(warning);
    if (!read.allowed) throw refused(name, read.refusal);
    return read;
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw new CallFailure(name, `failed to call webhook: ${error.message}`);
    if (error instanceof AnswerFault)
      throw new CallFailure(name, `received invalid webhook response: ${error.message}`);
    throw error;
  }
}

async function answered({ name }: Webhook, asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    throw new CallFailure(name, `failed to call webhook: ${(error as Error).message}`, { cause: error });
  }
}

/** The refusal that a failure causes: none under failurePolicy Ignore. */
export function afterFailure(
  failure: unknown,
  { webhook }: Candidate["hook"],
  overdue: boolean,
): StatusError | undefined {
  if (failure instanceof StatusError) return failure;
  if (!(failure instanceof CallFailure)) throw failure;
  if (webhook.failurePolicy !== "Ignore") return internal(failure.message, { cause: failure });
  return overdue ? timedOut() : undefined;
}

function timedOut(): StatusError {
  return new StatusError(504, "Timeout", "Timeout: request did not complete within requested timeout", {});
}

function refused(webhook: string, { code = 0, message, reason, details }: Refusal): StatusError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = message || reason;
  // A denial cannot have a success code or an invalid one.
  const known = code >= 400 && code <= 599 ? code : 400;
  return new StatusError(known, reason ?? "", why ? `${denied}: ${why}` : `${denied} without explanation`, details);
}
