import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../../cluster/runtime/clock.ts";

/** How long the token of an address is valid. */
const tokenMs = 10 * 60_000;
/** How long a session lasts without a request. */
const idleMs = 12 * 3600_000;
/** More are not kept: a script that asks for links must not fill memory. */
const mostTokens = 100;

export type Redeemed =
  | { readonly type: "session"; readonly key: string }
  | { readonly type: "refused"; readonly reason: "used" | "expired" | "unknown" };

/**
 * Sessions of pages that were opened with a link. A link holds a token that is valid once; the page gives it back for a key.
 * Only hashes are kept, so that comparing takes no time that depends on the secret.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, { readonly until: number; used: boolean }>();
  readonly #sessions = new Map<string, { until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new token of 256 bits. */
  issue(): string {
    const now = this.#clock.monotonic();
    // Used and expired ones are kept for a while: their user learns what was wrong with them.
    for (const [hash, { until }] of this.#tokens)
      if (until + tokenMs < now || this.#tokens.size >= mostTokens) this.#tokens.delete(hash);
    const token = secret();
    this.#tokens.set(hashOf(token), { until: now + tokenMs, used: false });
    return token;
  }

  redeem(token: string): Redeemed {
    const found = this.#tokens.get(hashOf(token));
    if (!found) return { type: "refused", reason: "unknown" };
    if (found.used) return { type: "refused", reason: "used" };
    if (found.until < this.#clock.monotonic()) return { type: "refused", reason: "expired" };
    found.used = true;
    const key = secret();
    this.#sessions.set(hashOf(key), { until: this.#clock.monotonic() + idleMs });
    return { type: "session", key };
  }

  /** Whether a key is that of a session. Prolongs it. */
  has(key: string): boolean {
    const hash = hashOf(key);
    const found = this.#sessions.get(hash);
    const now = this.#clock.monotonic();
    if (!found) return false;
    if (found.until < now) {
      this.#sessions.delete(hash);
      return false;
    }
    found.until = now + idleMs;
    return true;
  }

  end(key: string): void {
    this.#sessions.delete(hashOf(key));
  }
}

export function secret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
