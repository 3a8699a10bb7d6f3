import { Alert, AlertActionLink } from "@patternfly/react-core";
import type { AppliedObject } from "../../protocol/answers.ts";

interface PartlyAppliedProps {
  readonly objects: readonly AppliedObject[];
  readonly onAgain: () => void;
}

/** What was written and what was not, and how to go on. */
export function PartlyApplied({ objects, onAgain }: PartlyAppliedProps) {
  const named = ({ kind, name }: AppliedObject): string => `${kind} ${name}`;
  const written = objects.filter(({ error }) => error === undefined);
  const unsent = objects.filter(({ lost }) => lost === "unsent");
  const others = objects.filter(({ error, lost }) => error !== undefined && lost !== "unsent");
  return (
    <>
      {written.length === 0 ? null : (
        <Alert component="p" isInline variant="success" title={`Applied: ${written.map(named).join(", ")}`} />
      )}
      {others.map((object) => (
        <Alert
          component="p"
          key={`${object.place} ${named(object)}`}
          isInline
          variant="danger"
          title={object.lost ? `Not known whether applied: ${named(object)}` : `Not applied: ${named(object)}`}
        >
          {object.error}
        </Alert>
      ))}
      {unsent.length === 0 ? null : (
        <Alert component="p" isInline variant="danger" title={`Not applied: ${unsent.map(named).join(", ")}`}>
          {unsent[0]?.error}
        </Alert>
      )}
      <Alert
        component="p"
        isInline
        variant="info"
        title={`${written.length} of ${objects.length} objects applied. A new plan shows what is left to do.`}
        actionLinks={<AlertActionLink onClick={onAgain}>Plan again</AlertActionLink>}
      />
    </>
  );
}
