import { gzipSync } from "node:zlib";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { RefusedWrites } from "../../src/cluster/kube/refused-writes.ts";
import { untilCurrent } from "../../src/cluster/kube/informer/until-current.ts";
import type { Controller } from "../../src/cluster/runtime/controller/controller.ts";
import { source } from "../../src/cluster/runtime/controller/controller.ts";
import { noLog } from "../../src/cluster/runtime/log/log.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { manifestsText } from "../../src/domain/hosted/envelope/write-manifests.ts";
import { packText } from "../../src/domain/hosted/handover/packed-text.ts";
import { isOrder, type PoolOrder, writeOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { type PoolReport, readReport, reportConfigMap } from "../../src/domain/hosted/handover/pool-report.ts";
import { keys, nodePoolOf } from "../../src/domain/hosted/protocol.ts";
import { IntactRenderings } from "../../src/domain/hosted/rollout/intact-renderings.ts";
import { LatestPasses } from "../../src/domain/hosted/rollout/latest-passes.ts";
import { OrderAuthority } from "../../src/domain/hosted/rollout/order-authority-controller.ts";
import { orderedPoolController } from "../../src/domain/hosted/rollout/ordered-pool-controller.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { LatestBootDecision } from "../../src/domain/node-tuning/boot/boot-decision.ts";
import { drainController } from "../../src/domain/rollout/drain/drain-controller.ts";
import { countsAsUnavailable, judgeNode } from "../../src/domain/rollout/node-state.ts";
import { NodeWriter } from "../../src/domain/rollout/node-writer-controller.ts";
import { rolloutController } from "../../src/domain/rollout/rollout-controller.ts";
import type { RolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { fnv32a } from "../../src/language/object/hash.ts";
import { sha256 } from "../machine-config/parity.ts";
import { nodeOf } from "../machine-config/recorded-pools.ts";
import { Collection, RolloutWorld, type WorldCaches } from "../machine-config/testing/rollout-world.ts";
import { SimulatedAgent } from "../machine-config/testing/simulated-agent.ts";

const namespace = "clusters-demo";
const nothing = { tuneds: [], poolsOf: new Map<string, string[]>(), pools: [], orphaned: [] };

/** A hosted cluster and its control plane namespace without a network, nodes with agents, and time that the test moves. */
export class OrderWorld extends RolloutWorld {
  readonly configMaps = new Collection<ConfigMap>(this);
  readonly agents = new Map<string, SimulatedAgent>();
  readonly boot = new LatestBootDecision();
  /** What the management side knows: the NodePool of each node. */
  readonly poolOf = new Map<string, string>();
  mostAway = 0;

  constructor() {
    super();
    this.boot.set(nothing);
    this.nodes.watch(() => {
      const away = [...this.nodes.objects.values()].filter((node) => isAway(node)).length;
      this.mostAway = Math.max(this.mostAway, away);
    });
  }

  addNodes(nodePool: string, names: readonly string[]): void {
    for (const name of names) {
      this.poolOf.set(name, nodePool);
      this.nodes.put(nodeOf({ name, labels: { [keys.nodePool]: nodePool }, conditions: { Ready: "True" } }));
      this.agents.set(name, new SimulatedAgent(this, name, () => 100));
    }
  }

  order(objects: readonly KubeObject[], change: Partial<PoolOrder> = {}): string {
    const text = manifestsText(objects);
    const full = `${fnv32a(text)}${fnv32a(change.target?.version ?? "4.22.0")}`;
    const order: PoolOrder = {
      nodePool: { namespace: "clusters", name: "np1", generation: 1 },
      upgradeType: "InPlace",
      maxUnavailable: 2,
      paused: false,
      target: { full, withoutVersion: fnv32a(text), version: "4.22.0" },
      payload: packText(text, (bytes) => gzipSync(bytes)),
      ...change,
    };
    this.configMaps.put(writeOrder(order, namespace));
    return full;
  }

  report(nodePool = "np1"): PoolReport | undefined {
    const found = this.configMaps.objects.get(`${namespace}/${reportConfigMap(nodePool)}`);
    const read = found && readReport(found);
    if (read?.type === "problem") throw new Error(read.problem);
    return read?.value;
  }

  /** How often each node restarted. */
  restarts(): Record<string, number> {
    const total = ({ restarts }: SimulatedAgent): number => [...restarts.values()].reduce((sum, one) => sum + one, 0);
    return Object.fromEntries(Array.from(this.agents, ([name, agent]) => [name, total(agent)]));
  }

  protected override collection(kind: KindRef): Collection<KubeObject> {
    return kind.kind === "ConfigMap" ? this.configMaps : super.collection(kind);
  }

  protected override controllers(server: Client, caches: WorldCaches): readonly Controller[] {
    const { clock } = this;
    const refused = new RefusedWrites(clock);
    const client = refused.noting(server);
    const poolOf = ({ metadata: { name = "" } }: Pick<KubeObject, "metadata">): string => this.poolOf.get(name) ?? "";
    const intact = new IntactRenderings(sha256);
    const machineConfigs = this.machineConfigs.informer(
      () => 0,
      (config) => intact.project(config),
    );
    const configMaps = this.configMaps.informer(() => 0);
    const own = { ...caches, machineConfigs };
    const controlPlane = { client, namespace, configMaps, clock, log: noLog };
    const passes = new LatestPasses();
    const authority = new OrderAuthority({
      ...controlPlane,
      version: "1",
      poolOf,
      decided: (order, pass) => passes.set(order, pass),
    });
    const currently = async (signal: AbortSignal): Promise<void> =>
      untilCurrent(configMaps, { fresh: () => this.configMaps.informer(() => 0), clock, signal });
    const common = { client, clock, writer: new NodeWriter(client, caches.nodes) };
    return [
      rolloutController({
        ...common,
        caches: own,
        authority,
        render: (pool, configs, current) =>
          renderPool({ pool, machineConfigs: configs, current, version: "1", digest: sha256 }),
        awaited: () => ({ boot: nothing, kubeletConfigs: [] }),
        awaitedSources: [source(configMaps, ({ object }) => (isOrder(object) ? [nodePoolOf(object)] : []))],
        untilCurrent: currently,
      }),
      drainController({
        ...common,
        nodes: caches.nodes,
        timeoutMs: (node) => authority.order(poolOf(node))?.drainTimeoutMs,
        recorder: { record: (event) => void this.events.push(event) },
      }),
      orderedPoolController({
        ...controlPlane,
        ...own,
        hosted: client,
        refused,
        poolOf,
        isIntact: (rendered) => intact.isIntact(rendered),
        authority,
        passes,
        boot: this.boot,
        untilCurrent: currently,
      }),
    ];
  }
}

function isAway(node: RolloutNode): boolean {
  return countsAsUnavailable(judgeNode(node));
}
