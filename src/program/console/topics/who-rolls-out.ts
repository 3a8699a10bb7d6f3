import type { PoolActor } from "../../../../console/protocol/topics.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { clusterFeatures, rollsOut } from "../../operator/cluster-features.ts";
import { everyMinute } from "./every-minute.ts";
import type { TopicContext } from "./topic-context.ts";

/** Who brings configs to nodes: looked at each minute. Undefined: the cluster does not say it to this user. */
export function whoRollsOut(context: TopicContext<never>, changed: () => void): () => PoolActor | undefined {
  let actor: PoolActor | undefined;
  const source = "ControllerConfig";
  context.setSource(source, { state: "loading" });
  everyMinute(context, async () => {
    try {
      const features = await clusterFeatures(context.client, context.signal);
      actor = rollsOut(features) ? "Attune" : features.machineConfigOperator ? "Machine Config Operator" : "none";
      context.setSource(source, { state: "ready" });
    } catch (error) {
      if (!context.signal.aborted) context.setSource(source, { state: "failed", message: errorText(error) });
    }
    changed();
  });
  return () => actor;
}
