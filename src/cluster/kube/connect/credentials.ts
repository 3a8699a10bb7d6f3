import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "../../runtime/clock.ts";

export interface ClientCertificate {
  /** PEM, both. */
  cert: string;
  key: string;
}

/** The credentials of one request. */
export interface Authentication {
  authorization?: string | undefined;
  certificate?: ClientCertificate | undefined;
}

/** The credentials of a user over time: tokens and certificates expire and are replaced while the process runs. */
export interface Credentials {
  /** Rejects when `abort` aborts first: a plug-in may wait for user input. */
  current(abort?: { readonly signal: AbortSignal }): Promise<Authentication>;
  /** Reports that the server refused the current credentials. True when `current` may now return others. */
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
  tokenFile?: string | undefined;
  certificateFile?: string | undefined;
  keyFile?: string | undefined;
  /** Values that the kubeconfig contains itself. */
  inline?: Authentication & { cert?: string | undefined; key?: string | undefined };
}

/** The kubelet replaces mounted tokens after 80 % of their lifetime; Kubernetes expects clients to reread them each minute. */
const rereadMs = 50_000;

interface FileCredentialsOptions {
  clock?: Clock | undefined;
  read?: (path: string) => Promise<string>;
}

/** Rereads files, since the kubelet or a certificate manager renews them. */
export class FileCredentials implements Credentials {
  readonly #files: CredentialFiles;
  readonly #clock: Clock;
  readonly #read: (path: string) => Promise<string>;
  #known: { at: number; value: Promise<Authentication> } | undefined;

  constructor(files: CredentialFiles, { clock = systemClock, read = readText }: FileCredentialsOptions = {}) {
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
      // A file that is being replaced may be missing for a moment; the old token is still valid then.
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
    return { authorization, certificate: cert === undefined || key === undefined ? undefined : { cert, key } };
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8");
}
