/** The addresses of one node's pods: a /24 of 10.0.0.0/8 for each node of a process. */
export class PodAddresses {
  readonly #prefix: string;
  readonly #used = new Set<number>();
  #next = 1;

  constructor(index: number) {
    this.#prefix = `10.${(index >> 8) & 255}.${index & 255}.`;
  }

  /** A free one. When none is left, addresses repeat: nothing is reached through them. */
  take(): string {
    for (let tries = 0; tries < 254 && this.#used.has(this.#next); tries++) this.#next = (this.#next % 254) + 1;
    const host = this.#next;
    this.#used.add(host);
    this.#next = (host % 254) + 1;
    return this.#prefix + host;
  }

  /** Reserves the address that a pod has from an earlier process. */
  keep(address: string): void {
    if (address.startsWith(this.#prefix)) this.#used.add(Number(address.slice(this.#prefix.length)));
  }

  release(address: string): void {
    if (address.startsWith(this.#prefix)) this.#used.delete(Number(address.slice(this.#prefix.length)));
  }
}
