/** `clientConfig` of admission webhooks and CustomResourceDefinitions. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. Default: the system's root certificates. */
  readonly caBundle?: string;
}

/** Sends admission and conversion reviews to webhooks. */
export interface ReviewClient {
  /** The parsed response. Rejects with an Error whose message is Go's: connection refused, timeout, not trusted, not JSON. */
  ask(config: ClientConfig, review: object, options: { readonly timeoutMs: number }): Promise<unknown>;
  close(): void;
}
