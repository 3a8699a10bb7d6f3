import { send, type Target, type WireResponse } from "./wire.ts";

/**
 * Steps between recorded exchanges that the recording does not contain: objects created, changed and read. Each step is
 * named after the exchange it precedes.
 */
export class Stage {
  readonly #target: Target;
  #read: Record<string, unknown> = {};
  #version = "";
  #continue = "";
  /** Runs while a watch is open, to cause its events. */
  during: (() => Promise<void>) | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  async before(chapter: string, id: string): Promise<void> {
    this.during = undefined;
    await this.#steps[`${chapter}: ${id}`]?.();
  }

  /** The path and body of an exchange, with placeholders filled in. */
  fill(path: string, body: unknown): { path: string; body: unknown } {
    const filled = path.replace("<rv>", this.#version).replace("<token>", encodeURIComponent(this.#continue));
    if (body === "<the object read before, data changed>")
      return { path: filled, body: { ...this.#read, data: { k: "v2" } } };
    if (body === "<the object read before the update>") return { path: filled, body: this.#read };
    return { path: filled, body };
  }

  remember(answer: unknown): void {
    const token = (answer as { metadata?: { continue?: string } } | null)?.metadata?.continue;
    if (token) this.#continue = token;
  }

  readonly #steps: Record<string, () => Promise<unknown>> = {
    "create-read-update-delete: update": () => this.#readConfigMap("a"),
    "list-selectors-paging-tables: list by label": async () => {
      for (const [name, n] of [
        ["l1", "1"],
        ["l2", "0"],
        ["l3", "1"],
        ["l4", "0"],
      ] as const)
        await this.#make("/api/v1/namespaces/rec/configmaps", {
          metadata: { name, labels: { l: "yes", n } },
          data: { i: n },
        });
    },
    "list-selectors-paging-tables: node table": () =>
      this.#make("/api/v1/nodes", { metadata: { name: "n1", labels: { "node-role.kubernetes.io/worker": "" } } }),
    "watch: selector: leaving the selection is DELETED, entering is ADDED": async () => {
      await this.#readVersion();
      this.during = () => this.#walkW1();
    },
    "watch: timeoutSeconds ends the stream": () => this.#readVersion(),
  };

  /** Created in the selection, changed, out of it, back in, deleted. */
  async #walkW1(): Promise<void> {
    const path = "/api/v1/namespaces/rec/configmaps";
    await this.#make(path, { metadata: { name: "w1", labels: { w: "1" } }, data: { a: "1" } });
    for (const patch of [
      { data: { a: "2" } },
      { metadata: { labels: { w: "2" } } },
      { metadata: { labels: { w: "1" } } },
    ])
      await this.#send("PATCH", `${path}/w1`, patch, "application/merge-patch+json");
    await this.#send("DELETE", `${path}/w1`);
  }

  async #readConfigMap(name: string): Promise<void> {
    this.#read = JSON.parse((await this.#send("GET", `/api/v1/namespaces/rec/configmaps/${name}`)).text) as Record<
      string,
      unknown
    >;
  }

  async #readVersion(): Promise<void> {
    const list = JSON.parse((await this.#send("GET", "/api/v1/namespaces/rec/configmaps")).text) as {
      metadata: { resourceVersion: string };
    };
    this.#version = list.metadata.resourceVersion;
  }

  #make(path: string, body: object): Promise<WireResponse> {
    return this.#send("POST", path, body, "application/json");
  }

  async #send(method: string, path: string, body?: object, contentType?: string): Promise<WireResponse> {
    const answer = await send(this.#target, {
      method,
      path,
      ...(body ? { body, contentType: contentType ?? "application/json" } : {}),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}
