/** Where a webhook of ours listens, as admission configurations and definitions write it. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. The system's roots when absent. */
  readonly caBundle?: string;
}

/** Asks a webhook: admission and conversion reviews go out through it. */
export interface ReviewClient {
  /** The parsed answer. Rejects with an Error whose message says what went wrong (refused, timed out, not trusted, not JSON). */
  ask(config: ClientConfig, review: object, options: { readonly timeoutMs: number }): Promise<unknown>;
  close(): void;
}
