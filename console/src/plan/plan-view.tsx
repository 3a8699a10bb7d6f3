import { Alert, Button, FormGroup, TextArea } from "@patternfly/react-core";
import { type DragEvent, useRef, useState } from "react";
import type { AppliedObject, PlanFile } from "../../protocol/answers.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { useConnection } from "../stream/use-topic.ts";
import { Apply } from "./apply.tsx";
import { examples } from "./examples.ts";
import "./plan.css";
import { PlanDocument, sentenceOf } from "./plan-document.tsx";
import { usePlan } from "./use-plan.ts";

const none: readonly PlanFile[] = [];

/** Drop YAML in, see what it would do, apply it. */
export function Plan() {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly PlanFile[]>(none);
  const [applied, setApplied] = useState<readonly AppliedObject[]>();
  const { hello } = useConnection();
  const { answer, problem, isLoading, again, replace } = usePlan(files, hello?.cluster);
  const plan = (next: readonly PlanFile[]): void => {
    setApplied(undefined);
    setFiles(next);
  };
  const read = async (list: FileList): Promise<void> => {
    const next = await Promise.all([...list].map(async (file) => ({ name: file.name, text: await file.text() })));
    setText(next.map(({ text }) => text).join("\n---\n"));
    plan(next);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    void read(event.dataTransfer.files);
  };
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
        <div onDragOver={(event) => event.preventDefault()} onDrop={onDrop} className="plan-input">
          <FormGroup label="YAML: type, paste, or drop files here" fieldId="plan-text">
            <TextArea
              id="plan-text"
              className="plan-text"
              value={text}
              resizeOrientation="vertical"
              rows={16}
              spellCheck={false}
              onChange={(_, value) => setText(value)}
            />
          </FormGroup>
          <div className="plan-actions">
            <Button onClick={() => plan([{ name: "typed", text }])} isDisabled={text.trim() === ""}>
              Plan
            </Button>
            <ChooseFiles onFiles={(list) => void read(list)} />
            {examples.map(({ name, yaml }) => (
              <Button
                key={name}
                variant="link"
                isInline
                onClick={() => {
                  setText(yaml);
                  plan([{ name: "example", text: yaml }]);
                }}
              >
                {name}
              </Button>
            ))}
          </div>
        </div>
        <section aria-label="What it would do" aria-busy={isLoading} className="plan-result">
          {problem === undefined ? null : <Failed attempt="plan this" message={problem} onRetry={again} />}
          {isLoading ? <Loading label="Planning" rows={6} /> : null}
          {answer?.type === "refused"
            ? answer.problems.map((one) => (
                <Alert key={one} isInline variant="danger" title="Cannot be planned">
                  {one} <GoToLine problem={one} />
                </Alert>
              ))
            : null}
          {applied ? (
            <Alert isInline variant="success" title="Applied">
              {applied.map(({ kind, name }) => `${kind} ${name}`).join(", ")}
            </Alert>
          ) : null}
          {answer?.type === "plan" ? (
            <>
              {applied ? null : (
                <Apply
                  planned={answer}
                  files={files}
                  cluster={hello?.cluster}
                  action={actionFor(answer.plan.objects)}
                  onApplied={({ objects }) => setApplied(objects)}
                  onChanged={replace}
                />
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
  if (kinds.has("PerformanceProfile")) return "write profiles";
  return kinds.has("Tuned") ? "write tuneds" : "write machine configs";
}

function ChooseFiles({ onFiles }: { readonly onFiles: (list: FileList) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="secondary" onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".yaml,.yml,.json"
        aria-label="Files to plan"
        onChange={({ currentTarget }) => currentTarget.files && onFiles(currentTarget.files)}
      />
    </>
  );
}

/** Problems name the line of a file where they know it. */
function GoToLine({ problem }: { readonly problem: string }) {
  const line = Number(/\bline (\d+)/.exec(problem)?.[1] ?? /:(\d+):/.exec(problem)?.[1] ?? 0);
  if (line === 0) return null;
  const go = (): void => {
    const area = document.getElementById("plan-text");
    if (!(area instanceof HTMLTextAreaElement)) return;
    const lines = area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <Button variant="link" isInline onClick={go}>
      Go to line {line}
    </Button>
  );
}
