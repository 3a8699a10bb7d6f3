import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { KubeObject } from "../../../src/language/object/meta.ts";

const timeoutMs = 5000;

/** Reads objects through `kubectl proxy` on a Unix socket, which crosses the border of the network namespace. */
export class Api {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** `undefined` where there is no such object. */
  async get<T = KubeObject>(path: string): Promise<T | undefined> {
    const { status, body } = await this.#request(path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`get ${path}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  async list<T = KubeObject>(path: string): Promise<T[]> {
    return (await this.get<{ items: T[] }>(path))?.items ?? [];
  }

  async isReady(): Promise<boolean> {
    return (await this.#request("/readyz")).status === 200;
  }

  #request(path: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.#socket, path, timeout: timeoutMs, agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      asked.on("timeout", () => asked.destroy(new Error(`get ${path}: no answer in ${timeoutMs} ms`)));
      asked.on("error", reject);
      asked.end();
    });
  }
}
