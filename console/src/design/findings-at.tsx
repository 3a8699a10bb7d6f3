import { Button, HelperText, HelperTextItem } from "@patternfly/react-core";
import type { FieldFinding } from "../../../src/domain/finding.ts";

export interface FindingsProps {
  readonly findings: readonly FieldFinding[];
  /** Absent: no finding has a fix. */
  readonly onFix?: ((finding: FieldFinding) => (() => void) | undefined) | undefined;
}

/** What is wrong with a field, below it. */
export function Findings({ findings, onFix }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <HelperText className="design-findings">
      {findings.map((finding) => {
        const fix = onFix?.(finding);
        return (
          <HelperTextItem key={`${finding.name} ${finding.message}`} variant={finding.severity} component="div">
            <b>{finding.name}</b>: {finding.message}{" "}
            {fix ? (
              <Button variant="link" isInline onClick={fix} aria-label={`Fix ${finding.name}`}>
                Fix
              </Button>
            ) : null}
          </HelperTextItem>
        );
      })}
    </HelperText>
  );
}

/** The findings of one field and of what is in it. */
export function findingsAt(findings: readonly FieldFinding[], ...fields: readonly string[]): readonly FieldFinding[] {
  return findings.filter(({ field }) =>
    fields.some((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`)),
  );
}
