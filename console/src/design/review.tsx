import { Button } from "@patternfly/react-core";
import { useMemo, useState } from "react";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { Alert } from "@patternfly/react-core";
import { Apply } from "../plan/apply.tsx";
import { PlanDocument, sentenceOf } from "../plan/plan-document.tsx";
import { usePlan } from "../plan/use-plan.ts";
import { useConnection } from "../stream/use-topic.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { ProfileRollout } from "./profile-rollout.tsx";

interface ReviewProps {
  readonly yaml: string;
  readonly profile: PerformanceProfile;
  readonly pool: string;
  readonly cluster: DesignCluster;
  readonly onBack: () => void;
}

/** The server's plan of the draft; once it is applied, what becomes of it. */
export function Review({ yaml, profile, pool, cluster, onBack }: ReviewProps) {
  const { name = "" } = profile.metadata;
  const files = useMemo(() => [{ name: `${name}.yaml`, text: yaml }], [name, yaml]);
  const { hello } = useConnection();
  const { answer, problem, isLoading, again, replace } = usePlan(files, hello?.cluster);
  const [isApplied, setApplied] = useState(false);
  if (isApplied) return <ProfileRollout profile={profile} pool={pool} cluster={cluster} />;
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
      {answer?.type === "refused"
        ? answer.problems.map((one) => (
            <Alert key={one} isInline variant="danger" title="Cannot be applied">
              {one}
            </Alert>
          ))
        : null}
      {answer?.type === "plan" ? (
        <>
          <Apply
            planned={answer}
            files={files}
            cluster={hello?.cluster}
            action="write profiles"
            onApplied={() => {
              sessionStorage.removeItem(`attune-design/${pool}/`);
              sessionStorage.removeItem(`attune-design/${pool}/${name}`);
              setApplied(true);
            }}
            onChanged={replace}
          />
          <PlanDocument planned={answer} />
        </>
      ) : null}
    </>
  );
}
