import { Controller, type Source } from "../../cluster/runtime/controller/controller.ts";
import { referenceTo } from "../../language/object/plan.ts";
import type { LatestBootDecision } from "../node-tuning/boot/boot-decision.ts";
import { bootConfigMaps } from "./boot-arguments.ts";
import { configMapSource, type ControlPlane, writeConfigMaps } from "./control-plane-controller.ts";
import { contentOf, type HostedProtocol } from "./protocol.ts";

export interface BootArgumentsOptions extends ControlPlane {
  readonly boot: LatestBootDecision;
  /** Of the operator. */
  readonly version: string;
  readonly protocol: HostedProtocol;
}

/** One key: a decision is about all NodePools. */
const all = "control plane";

/** Writes the boot arguments on which the nodes of each NodePool agree. */
export function bootArgumentsController(options: BootArgumentsOptions): Controller {
  const { boot, configMaps, namespace, version, protocol } = options;
  const decisions: Source<string> = {
    whenSynced: () => Promise.resolve(),
    subscribe: (add) => boot.subscribe(() => add(all)),
  };
  return new Controller({
    ...options,
    name: "hosted-boot-arguments",
    queue: { backoff: { maxMs: 30_000 } },
    sources: [decisions, configMapSource(configMaps, (one) => (contentOf(one) === "machineConfig" ? [all] : []))],
    async reconcile(_key, context) {
      const { current } = boot;
      if (!current) return undefined;
      const { wanted, orphaned } = bootConfigMaps({
        pools: current.pools,
        wanted: new Set([...current.poolsOf.values()].flat()),
        observed: configMaps.list(),
        namespace,
        version,
        protocol,
      });
      const writes = { wanted, orphaned: orphaned.map(referenceTo) };
      return writeConfigMaps(writes, options, { ...context, because: "the nodes of its NodePool agree" });
    },
  });
}
