import { Alert, Button, EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter } from "@patternfly/react-core";
import { useCallback, useMemo, useState } from "react";
import type { AppliedObject, PlanFile } from "../../protocol/answers.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { useConnection, useTopic } from "../stream/use-topic.ts";
import { Apply } from "./apply.tsx";
import { examples, hostedExamples } from "./examples.ts";
import "./plan.css";
import { PlanDocument, sentenceOf } from "./plan-document.tsx";
import { PlanInput } from "./plan-input.tsx";
import { Refused } from "./refused.tsx";
import { usePlan } from "./use-plan.ts";
import { joined, lineOf } from "./yaml-text.tsx";

const none: readonly PlanFile[] = [];

/** Drop YAML in, see what it would do, apply it. */
export function Plan() {
  const [given, setGiven] = useState({ text: "" });
  const [files, setFiles] = useState<readonly PlanFile[]>(none);
  const [applied, setApplied] = useState<readonly AppliedObject[]>();
  const { hello } = useConnection();
  const { answer, problem, isLoading, target, takeFields, again, replace } = usePlan(files, {
    cluster: hello?.cluster,
  });
  const kinds = useTopic("kinds");
  const hasNodePools = kinds.rows.get("NodePool.hypershift.openshift.io")?.served === true;
  const offered = kinds.isLoaded ? (hasNodePools ? hostedExamples : examples) : [];
  const plan = useCallback((next: readonly PlanFile[]): void => {
    setApplied(undefined);
    setFiles(next);
  }, []);
  const read = useCallback(
    async (list: FileList): Promise<void> => {
      const next = await Promise.all([...list].map(async (file) => ({ name: file.name, text: await file.text() })));
      setGiven({ text: joined(next) });
      plan(next);
    },
    [plan],
  );
  const onFiles = useCallback((list: FileList): void => void read(list), [read]);
  const wrong = useMemo(
    () => new Set((answer?.type === "refused" ? answer.problems : []).flatMap((one) => lineOf(one, files) ?? [])),
    [answer, files],
  );
  const sentence = applied
    ? `${applied.length} ${applied.length === 1 ? "object is" : "objects are"} applied`
    : answer?.type === "plan"
      ? sentenceOf(answer)
      : answer?.type === "refused"
        ? `${answer.problems.length} ${answer.problems.length === 1 ? "problem" : "problems"}: this cannot be planned`
        : "See what a change would do, before it is made";
  return (
    <>
      <AnswerLine view="Plan" answer={sentence} actions={<CopyCommand command="attune plan -f FILE" />} />
      <div className="plan-board">
        <PlanInput given={given} wrong={wrong} onPlan={plan} onFiles={onFiles} />
        <section aria-label="What it would do" aria-busy={isLoading} className="plan-result">
          {problem === undefined ? null : <Failed attempt="plan this" message={problem} onRetry={again} />}
          {isLoading ? <Loading label="Planning" rows={6} /> : null}
          {files.length > 0 ? null : (
            <EmptyState titleText="Nothing is planned yet" headingLevel="h2" variant="sm">
              <EmptyStateBody>
                The cluster is asked what would become of the objects. Nothing is written before you choose Apply.
              </EmptyStateBody>
              <EmptyStateFooter>
                <EmptyStateActions>
                  {offered.map(({ name, yaml }) => (
                    <Button
                      key={name}
                      variant="link"
                      onClick={() => {
                        setGiven({ text: yaml });
                        plan([{ name: "example", text: yaml }]);
                      }}
                    >
                      {name}
                    </Button>
                  ))}
                </EmptyStateActions>
              </EmptyStateFooter>
            </EmptyState>
          )}
          {answer?.type === "refused" ? (
            <Refused refused={answer} lineOf={(one) => lineOf(one, files)} onTakeFields={takeFields} />
          ) : null}
          {applied ? (
            <Alert component="p" isInline variant="success" title="Applied">
              {applied.map(({ kind, name }) => `${kind} ${name}`).join(", ")}
            </Alert>
          ) : null}
          {answer?.type === "plan" ? (
            <>
              {applied || answer.plan.objects.length === 0 ? null : (
                <Apply
                  planned={answer}
                  files={files}
                  target={target}
                  action={actionFor(answer.plan.objects)}
                  onApplied={({ objects }) => setApplied(objects)}
                  onChanged={replace}
                  onAgain={again}
                />
              )}
              {answer.cluster === hello?.cluster ? null : (
                <p className="attune-note">Planned in cluster {answer.cluster}, where NodePools get their tuning.</p>
              )}
              <PlanDocument planned={answer} />
            </>
          ) : null}
        </section>
      </div>
    </>
  );
}

/** The right that most of such a change needs: the server has the last word. */
function actionFor(objects: readonly { readonly kind: string; readonly derived?: true }[]) {
  const kinds = new Set(objects.filter(({ derived }) => !derived).map(({ kind }) => kind));
  if (kinds.has("ConfigMap") || kinds.has("NodePool")) return undefined;
  if (kinds.has("PerformanceProfile")) return "write profiles";
  return kinds.has("Tuned") ? "write tuneds" : "write machine configs";
}
