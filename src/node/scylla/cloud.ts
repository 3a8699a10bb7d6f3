import { lookup } from "node:dns/promises";

/** `unknown`: the resolver gave no answer that can be relied on. */
export type Cloud = "gke" | "other" | "unknown";

/** Only machines of Google Cloud have it. */
const metadataServer = "metadata.google.internal";
/** Resolvers that do not answer take half a minute to say so. */
const timeoutMs = 3000;

type Resolve = (name: string) => Promise<unknown>;

/** Asks the node's resolver where the node runs. */
export async function askResolver(resolve: Resolve = lookup, giveUpMs = timeoutMs): Promise<Cloud> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Cloud>((answer) => (timer = setTimeout(() => answer("unknown"), giveUpMs)));
  const found = resolve(metadataServer).then(
    (): Cloud => "gke",
    // Any other error is one of the resolver: the name may exist.
    ({ code }: NodeJS.ErrnoException): Cloud => (code === "ENOTFOUND" ? "other" : "unknown"),
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until there is an answer: a node does not move. */
export class CloudOfNode {
  readonly #ask: () => Promise<Cloud>;
  #known: Cloud = "unknown";

  constructor(ask: () => Promise<Cloud> = () => askResolver()) {
    this.#ask = ask;
  }

  /** Whether it is a node of GKE; undefined: not known. */
  async isGke(): Promise<boolean | undefined> {
    if (this.#known === "unknown") this.#known = await this.#ask();
    return this.#known === "unknown" ? undefined : this.#known === "gke";
  }
}
