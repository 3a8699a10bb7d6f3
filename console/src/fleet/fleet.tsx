import { fleetSentence, summarise } from "../../../src/domain/fleet/fleet-summary.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useTopic } from "../stream/use-topic.ts";

const what = { Node: "the nodes", Profile: "the Profiles of nodes", MachineConfigPool: "the pools" };

/** Every node of the cluster. */
export function Fleet() {
  const { isLoaded, rows, sources } = useTopic("fleet");
  const nodes = sources.get("Node");
  if (nodes?.state === "denied") return <Forbidden rule={nodes.rule} what="the nodes of this cluster" />;
  if (!isLoaded || nodes?.state === "loading") return <Loading label="Loading the nodes" />;
  const list = Array.from(rows, ([name, row]) => ({ name, ...row }));
  return (
    <>
      <AnswerLine view="Fleet" answer={fleetSentence(summarise(list))} />
      <SourceProblems sources={sources} what={what} />
    </>
  );
}
