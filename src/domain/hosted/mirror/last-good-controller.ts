import { Controller } from "../../../cluster/runtime/controller/controller.ts";
import { configMapSource, type ControlPlane, writeConfigMaps } from "../control-plane-controller.ts";
import { contentOf } from "../protocol.ts";
import { isLastGood, lastGoodNote, sourceOfNote } from "./last-good.ts";

/** Notes the last readable content of each ConfigMap with Tuneds. Keys are names of such ConfigMaps. */
export function lastGoodController(options: ControlPlane): Controller {
  const { configMaps, namespace } = options;
  return new Controller({
    ...options,
    name: "hosted-last-good",
    sources: [
      configMapSource(configMaps, (one) => {
        if (isLastGood(one)) return [sourceOfNote(one)];
        return contentOf(one) === "tuneds" ? [one.metadata.name ?? ""] : [];
      }),
    ],
    async reconcile(name, context) {
      const notes = configMaps.list().filter((one) => isLastGood(one) && sourceOfNote(one) === name);
      const decided = lastGoodNote(configMaps.get(`${namespace}/${name}`), notes, namespace);
      if (decided.type === "keep") return undefined;
      const writes =
        decided.type === "write" ? { wanted: [decided.note], orphaned: [] } : { wanted: [], orphaned: decided.notes };
      return writeConfigMaps(writes, options, { ...context, because: `ConfigMap ${name} has this content` });
    },
  });
}
