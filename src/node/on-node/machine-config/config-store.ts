import type { MachineConfig } from "../../../domain/machine-config/api.ts";
import { readJson, writeJson } from "../../../language/object/exact-json.ts";
import { isObject } from "../../../language/object/json.ts";
import type { AskedBoot } from "./attempts.ts";
import { type Host, unwritten } from "../../host/host.ts";

/** A rendered config, kept on the node: the cluster may no longer have it when the node needs it. */
export interface KeptConfig {
  readonly name: string;
  readonly spec: NonNullable<MachineConfig["spec"]>;
}

/** The config that the node is being updated to. On disk before the first change, and gone after the last. */
export interface PendingConfig extends KeptConfig {
  /**
   * `applying`: changes may have been made. `booting`: all are made, and the next boot brings them into force. `rolled back`: it
   * failed, and the node is again as before.
   */
  readonly stage: "applying" | "booting" | "rolled back";
  /** Of the boot in which the update began, or `booting` was set. */
  readonly bootId: string;
  readonly failures: number;
  /** The boot arguments that the node had before any config: they are not left over from one. */
  readonly base: readonly string[];
  /** Why it failed last. */
  readonly reason?: string | undefined;
  readonly asked?: AskedBoot | undefined;
}

const storeFolder = "/var/lib/attune/machine-config";
export const currentPath = `${storeFolder}/current.json`;
export const pendingPath = `${storeFolder}/pending.json`;

type StoreHost = Pick<Host, "read" | "replace" | "remove">;

/** The configs of one node, in files that survive a crash at any moment. */
export class ConfigStore {
  readonly #host: StoreHost;

  constructor(host: StoreHost) {
    this.#host = host;
  }

  async current(): Promise<KeptConfig | undefined> {
    const found = await this.#read(currentPath);
    return found && { name: found.name, spec: found.spec };
  }

  async pending(): Promise<PendingConfig | undefined> {
    const found = await this.#read(pendingPath);
    if (!found) return undefined;
    const { name, spec, stage, bootId, failures, base, reason, asked } = found;
    return {
      name,
      spec,
      stage: stage === "booting" || stage === "rolled back" ? stage : "applying",
      bootId: String(bootId),
      failures: Number(failures ?? 0),
      base: Array.isArray(base) ? base.map(String) : [],
      ...(typeof reason === "string" ? { reason } : {}),
      ...(isObject(asked) ? { asked: readAsked(asked) } : {}),
    };
  }

  async savePending(pending: PendingConfig): Promise<void> {
    await this.#write(pendingPath, pending);
  }

  /** The update is finished: what was pending is current. */
  async finish({ name, spec }: KeptConfig): Promise<void> {
    await this.#write(currentPath, { name, spec });
    await this.#remove(pendingPath);
  }

  /** The node keeps the config that it has. */
  async dropPending(): Promise<void> {
    await this.#remove(pendingPath);
  }

  async clear(): Promise<void> {
    // The pending one first: alone, it would be taken for an update that a crash interrupted.
    await this.#remove(pendingPath);
    await this.#remove(currentPath);
  }

  async #read(path: string): Promise<(KeptConfig & Record<string, unknown>) | undefined> {
    const file = await this.#host.read(path);
    if (file.type === "missing") return undefined;
    if (file.type === "failed") throw new Error(`read the node's machine config: ${file.message}`);
    let value: unknown;
    try {
      value = readJson(file.text);
    } catch (cause) {
      throw new Error(malformed(path), { cause });
    }
    if (!isObject(value) || typeof value.name !== "string" || !isObject(value.spec)) throw new Error(malformed(path));
    return value as unknown as KeptConfig & Record<string, unknown>;
  }

  async #write(path: string, value: object): Promise<void> {
    const outcome = await this.#host.replace(path, `${writeJson(value)}\n`, 0o600);
    if (outcome.type === "failed") throw new Error(unwritten("the node's machine config", outcome));
  }

  async #remove(path: string): Promise<void> {
    const outcome = await this.#host.remove(path);
    if (outcome.type === "failed") throw new Error(`remove ${path}: ${outcome.message}`);
  }
}

function readAsked(asked: Record<string, unknown>): AskedBoot {
  return { times: Number(asked["times"]), at: Number(asked["at"]), isAnswered: asked["isAnswered"] === true };
}

function malformed(path: string): string {
  return `read the node's machine config: ${path} is malformed; remove it to apply the desired config anew`;
}
