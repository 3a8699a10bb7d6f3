import { Button } from "@patternfly/react-core";
import { useMemo, useRef, useState } from "react";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { Apply } from "../plan/apply.tsx";
import { PlanDocument, sentenceOf } from "../plan/plan-document.tsx";
import { Refused } from "../plan/refused.tsx";
import { usePlan } from "../plan/use-plan.ts";
import { useConnection } from "../stream/use-topic.ts";
import { type AppliedProfile, changesOfNodePool, changesOfNodes, marksOf } from "./applied-profile.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { setsOf } from "./cpu-fields.ts";
import { forgetDraft } from "./draft.ts";
import { ProfileRollout } from "./profile-rollout.tsx";

interface ReviewProps {
  readonly yaml: string;
  readonly profile: PerformanceProfile;
  readonly pool: string;
  readonly cluster: DesignCluster;
  /** The key of the draft. */
  readonly draft: string;
  readonly onBack: () => void;
}

/** The server's plan of the draft; once it is applied, what becomes of it. */
export function Review({ yaml, profile, pool, cluster, draft, onBack }: ReviewProps) {
  const { name = "" } = profile.metadata;
  const files = useMemo(() => [{ name: `${name}.yaml`, text: yaml }], [name, yaml]);
  const { hello } = useConnection();
  const { designed } = cluster;
  const { answer, problem, isLoading, target, takeFields, again, replace } = usePlan(
    files,
    designed ? { cluster: designed.management, takeOver: true } : { cluster: hello?.cluster },
  );
  const [applied, setApplied] = useState<AppliedProfile>();
  const newest = useRef(cluster);
  newest.current = cluster;
  // As the nodes were when the plan was made: an operator may be faster than the answer that the profile is applied.
  const then = useMemo(() => (answer?.type === "plan" ? newest.current.objects : []), [answer]);
  if (applied) return <ProfileRollout {...{ profile, pool, cluster, applied }} />;
  return (
    <>
      <AnswerLine
        view="Review"
        answer={answer?.type === "plan" ? `${name}: ${sentenceOf(answer)}` : `Review of ${name}`}
        actions={
          <Button variant="secondary" onClick={onBack}>
            Back to the design
          </Button>
        }
      />
      {isLoading ? <Loading label="Planning" /> : null}
      {problem === undefined ? null : <Failed attempt={`plan ${name}`} message={problem} onRetry={again} />}
      {answer?.type === "refused" ? <Refused refused={answer} onTakeFields={takeFields} /> : null}
      {answer?.type === "plan" ? (
        <>
          <Apply
            planned={answer}
            files={files}
            target={target}
            action={designed ? undefined : "write profiles"}
            onApplied={() => {
              forgetDraft(draft);
              const former = then.find(({ kind, metadata }) => kind === profile.kind && metadata.name === name);
              const changes = designed ? changesOfNodePool(answer, pool) : changesOfNodes(answer);
              setApplied({ changes, before: marksOf(then), former: former && setsOf(former) });
            }}
            onChanged={replace}
            onAgain={again}
          />
          <PlanDocument planned={answer} />
        </>
      ) : null}
    </>
  );
}
