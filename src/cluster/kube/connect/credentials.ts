import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "../../runtime/clock.ts";

export interface ClientCertificate {
  /** PEM, both. */
  cert: string;
  key: string;
}

/** What one request shows to prove who sends it. */
export interface Authentication {
  authorization?: string;
  certificate?: ClientCertificate;
}

/** Who we are, over time: tokens and certificates expire and are replaced while we run. */
export interface Credentials {
  /** Rejects when `abort` comes first: a plug-in may wait for a person. Those who never wait ask for no signal. */
  current(abort?: { readonly signal: AbortSignal }): Promise<Authentication>;
  /** The server did not accept the current ones. True when asking again may bring others. */
  reject(): boolean;
}

export function staticCredentials(authentication: Authentication): Credentials {
  return { current: async () => authentication, reject: () => false };
}

export function bearer(token: string): Authentication {
  return { authorization: `Bearer ${token}` };
}

export function basic(username: string, password: string): Authentication {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

export interface CredentialFiles {
  tokenFile?: string;
  certificateFile?: string;
  keyFile?: string;
  /** What does not come from files. */
  inline?: Authentication & { cert?: string; key?: string };
}

/** Mounted tokens are replaced when four fifths of their life is over; a minute is what clients are expected to keep. */
const rereadMs = 50_000;

/** Reads files again and again: a kubelet or a certificate manager renews them under us. */
export class FileCredentials implements Credentials {
  readonly #files: CredentialFiles;
  readonly #clock: Clock;
  readonly #read: (path: string) => Promise<string>;
  #known: { at: number; value: Promise<Authentication> } | undefined;

  constructor(
    files: CredentialFiles,
    { clock = systemClock, read = readText }: { clock?: Clock; read?: (path: string) => Promise<string> } = {},
  ) {
    this.#files = files;
    this.#clock = clock;
    this.#read = read;
  }

  async current(): Promise<Authentication> {
    const now = this.#clock.monotonic();
    const known = this.#known;
    if (known && now - known.at < rereadMs) return known.value;
    const fresh = { at: now, value: this.#load() };
    this.#known = fresh;
    try {
      return await fresh.value;
    } catch (error) {
      // A file that is being replaced may be missing for a moment; the old token is still good then.
      if (this.#known === fresh) this.#known = known;
      if (known) return known.value;
      throw error;
    }
  }

  reject(): boolean {
    this.#known = undefined;
    return true;
  }

  async #load(): Promise<Authentication> {
    const { tokenFile, certificateFile, keyFile, inline = {} } = this.#files;
    const text = async (path: string | undefined): Promise<string | undefined> => path && this.#read(path);
    const [token, cert = inline.cert, key = inline.key] = await Promise.all([
      text(tokenFile),
      text(certificateFile),
      text(keyFile),
    ]);
    const authorization = token === undefined ? inline.authorization : bearer(token.trim()).authorization;
    if (tokenFile !== undefined && token?.trim() === "") throw new Error(`read token: ${tokenFile} is empty`);
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
    };
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8");
}
