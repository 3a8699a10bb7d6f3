import { Alert, AlertActionLink } from "@patternfly/react-core";
import type { PlanAnswer, PlanProblem } from "../../protocol/answers.ts";
import { goToLine } from "./yaml-text.tsx";

interface RefusedProps {
  readonly refused: Extract<PlanAnswer, { type: "refused" }>;
  /** In the text that is shown. */
  readonly lineOf?: (problem: PlanProblem) => number | undefined;
  readonly onTakeFields: () => void;
}

/** Why there is no plan, and what can be done about it. */
export function Refused({ refused: { problems, canTakeOver }, lineOf, onTakeFields }: RefusedProps) {
  return (
    <>
      {problems.map((one) => {
        const line = lineOf?.(one);
        return (
          <Alert
            component="p"
            key={one.text}
            isInline
            variant="danger"
            title="Cannot be planned"
            actionLinks={
              line === undefined ? undefined : (
                <AlertActionLink onClick={() => goToLine(line)}>Go to line {line}</AlertActionLink>
              )
            }
          >
            {one.text}
          </Alert>
        );
      })}
      {canTakeOver ? (
        <Alert
          component="p"
          isInline
          variant="info"
          title="Others have set these fields"
          actionLinks={<AlertActionLink onClick={onTakeFields}>Take the fields over</AlertActionLink>}
        >
          You can take them over: then they get what is written here. A program that goes on writing them, such as a
          pipeline, sets them back.
        </Alert>
      ) : null}
    </>
  );
}
