import { Title } from "@patternfly/react-core";
import type { ReactNode } from "react";

export interface AnswerLineProps {
  /** The answer to the question that a person opens the view with, in one sentence. Undefined: not known yet, or not to be known. */
  readonly answer: string | undefined;
  /** The view, for those who hear the page. */
  readonly view: string;
  readonly actions?: ReactNode;
}

/** The first line of every view. Counts in it are announced, at most one announcement in five seconds. */
export function AnswerLine({ answer, view, actions }: AnswerLineProps) {
  return (
    <div className="attune-answer">
      <Title headingLevel="h1" size="xl">
        {answer === undefined ? (
          view
        ) : (
          <>
            <span className="pf-v6-screen-reader">{view}: </span>
            {answer}
          </>
        )}
      </Title>
      {actions === undefined ? undefined : <div className="attune-answer-actions">{actions}</div>}
    </div>
  );
}
