import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { LeadershipLostError } from "../../src/cluster/runtime/leader/leader-gate.ts";
import {
  apiVersion,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { firstBootNamespace, invitationName } from "../../src/domain/rollout/first-boot/invitation.ts";
import { type TokenFile, tokenPath } from "../../src/domain/rollout/first-boot/token-file.ts";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { machine, type Machine } from "../../src/embedded/lab/machine.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { serialQueue } from "../../src/node/host/serial-queue.ts";
import type { Host } from "../../src/node/host/host.ts";
import { fetchPayload } from "../../src/node/on-node/first-boot/fetch-payload.ts";
import { firstBoot, type FirstBoot, type FirstBootOptions } from "../../src/node/on-node/first-boot/first-boot.ts";
import { NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { issueToken } from "../../src/program/cli/node-token/issue-token.ts";
import { type OperatorOptions, runOperator } from "../../src/program/operator/operator.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { freePort } from "../servers/program.ts";

interface RunningOperator {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** An embedded server with what `attune install --first-boot` applies, and operators that a test starts and ends. */
export class FirstBootCluster {
  readonly admin: HttpClient;
  readonly #given: Pick<OperatorOptions, "leaderElection">;
  /** So much later it is for the operator. */
  aheadMs = 0;
  #operator: RunningOperator | undefined;

  private constructor(admin: HttpClient, given: Pick<OperatorOptions, "leaderElection">) {
    this.admin = admin;
    this.#given = given;
  }

  /** Ends with the test. */
  static async start({ leaderElection = false } = {}): Promise<FirstBootCluster> {
    const [cluster, close] = await FirstBootCluster.open({ leaderElection });
    onTestFinished(close);
    return cluster;
  }

  /** The operator runs, and has published its endpoint. */
  static async open({ leaderElection = false } = {}): Promise<[FirstBootCluster, close: () => Promise<void>]> {
    const dir = await mkdtemp(join(tmpdir(), "attune-first-boot-"));
    const server = await startServer({ dir, storage: "memory" });
    const admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    await applyManifests(admin, foundation({ mode: "plain", firstBoot: "https://127.0.0.1" }));
    const cluster = new FirstBootCluster(admin, { leaderElection });
    await cluster.startOperator();
    return [
      cluster,
      async () => {
        await cluster.stopOperator();
        admin.close();
        await server.close();
        await rm(dir, { recursive: true, force: true });
      },
    ];
  }

  async startOperator(client: Client = this.admin): Promise<void> {
    await new Promise<void>((onReady, reject) => {
      this.#operator = this.#run(client, { address: "127.0.0.1:0", onReady }, reject);
    });
  }

  /**
   * Another replica, which answers on a port of its own. It ends when it loses the lease, and starts again as by its
   * kubelet. Returns its URL; it ends with the test.
   */
  async addReplica(client: Client = this.admin): Promise<string> {
    const address = `127.0.0.1:${await freePort()}`;
    const running = async (): Promise<void> => {
      for (let lost = true; lost;) {
        lost = false;
        replica = this.#run(client, { address }, (error) => (lost = error instanceof LeadershipLostError));
        await replica.done;
      }
    };
    let replica: RunningOperator | undefined;
    const ran = running();
    onTestFinished(async () => {
      replica?.stop.abort();
      await ran;
    });
    return `https://${address}`;
  }

  #run(client: Client, firstBoot: OperatorOptions["firstBoot"], failed: (error: Error) => void): RunningOperator {
    const stop = new AbortController();
    const done = runOperator({
      client,
      signal: stop.signal,
      image: "attune:test",
      agentServiceAccount,
      version: "test",
      clock: { ...systemClock, now: () => systemClock.now() + this.aheadMs },
      firstBoot,
      ...this.#given,
    });
    return { stop, done: done.catch(failed) };
  }

  async stopOperator(): Promise<void> {
    this.#operator?.stop.abort();
    await this.#operator?.done;
    this.#operator = undefined;
  }

  async apply(name: string, spec: MachineConfig["spec"], role = "worker"): Promise<void> {
    const object = { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: role } }, spec };
    await this.admin.patch(machineConfigKind, name, { type: "apply", object, force: true }, { fieldManager: "test" });
  }

  /** Until the pool has a rendered config made of these. Returns its name. */
  async rendered(...sources: string[]): Promise<string> {
    return eventually("rendered", async () => {
      const { spec } = await this.pool("worker");
      const made = spec?.configuration?.source?.map(({ name }) => name).toSorted();
      return JSON.stringify(made) === JSON.stringify(sources.toSorted()) && spec?.configuration?.name;
    });
  }

  pool(name: string): Promise<MachineConfigPool> {
    return this.admin.get(machineConfigPoolKind, name);
  }

  /** As `attune node-token` prints it. */
  async token(node: string, { pool = "worker", lifeMs = 3_600_000, now = Date.now() } = {}): Promise<TokenFile> {
    await eventually(`pool ${pool}`, () => this.pool(pool));
    return issueToken(this.admin, { node, pool, lifeMs, now });
  }

  async invitation(node: string): Promise<KubeObject | undefined> {
    const { items } = await this.admin.list(kinds.secret, { namespace: firstBootNamespace });
    return items.find(({ metadata }) => metadata.name === invitationName(node));
  }

  /** Registers a Node as a kubelet does: without a role. */
  async join(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const conditions = [{ type: "Ready", status: "True" }];
    const object = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
    await this.admin.create(kinds.node, object);
    await this.admin.patch(
      kinds.node,
      name,
      { type: "merge", patch: { status: { conditions } } },
      { subresource: "status" },
    );
  }

  async events(): Promise<string[]> {
    const { items } = await this.admin.list(kinds.event);
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  }
}

const base = machineBase(smallMachine);

/** A machine that was just installed. What asks for a restart gets it from the test. */
export function newMachine(): Machine {
  const made = machine(base);
  const nothing = async (): Promise<undefined> => undefined;
  made.surround({ rebootRequested: () => {}, unitStarted: nothing, unitStopped: () => {}, runAttune: nothing });
  return made;
}

/** Puts the token on the machine, as cloud-init does. */
export async function give(machine: Machine, file: TokenFile): Promise<void> {
  await machine.replace(tokenPath, JSON.stringify(file), 0o600);
}

/** `attune agent --first-boot` on a machine, once. */
export async function bootFirst(
  host: Host,
  more: Partial<Pick<FirstBootOptions, "fetch" | "node" | "timeoutMs" | "print">> = {},
): Promise<FirstBoot> {
  const updater = new NodeUpdater({ host, exclusive: serialQueue() });
  const { signal } = new AbortController();
  const given = { fetch: fetchPayload, timeoutMs: 20_000, print: () => {}, ...more };
  return firstBoot({ host, updater, tokenPath, signal, clock: systemClock, ...given });
}

/** Again after each restart, as systemd does, until it no longer restarts. */
export async function bootFully(machine: Machine, ...more: [Parameters<typeof bootFirst>[1]?]): Promise<FirstBoot> {
  for (;;) {
    const outcome = await bootFirst(machine, ...more);
    if (outcome.type !== "rebooting") return outcome;
    await machine.boot();
  }
}
