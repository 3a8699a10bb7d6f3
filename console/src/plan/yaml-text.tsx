import { FormGroup, TextArea } from "@patternfly/react-core";
import { useRef } from "react";
import type { PlanFile, PlanProblem } from "../../protocol/answers.ts";

interface YamlTextProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Lines with a problem. */
  readonly wrong: ReadonlySet<number>;
}

const id = "plan-text";

/** YAML with the numbers of its lines. */
export function YamlText({ text, onChange, wrong }: YamlTextProps) {
  const numbers = useRef<HTMLOListElement>(null);
  const lines = text.split("\n").length;
  return (
    <FormGroup label="YAML: type, paste, or drop files here" fieldId={id}>
      <div className="plan-yaml">
        <ol ref={numbers} aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            <li key={at} className={wrong.has(at + 1) ? "wrong" : ""}>
              {at + 1}
            </li>
          ))}
        </ol>
        <TextArea
          id={id}
          value={text}
          rows={22}
          wrap="off"
          spellCheck={false}
          onChange={(_, value) => onChange(value)}
          onScroll={({ currentTarget }) => numbers.current?.scrollTo({ top: currentTarget.scrollTop })}
        />
      </div>
    </FormGroup>
  );
}

/** The text of all files, as it is shown. */
export function joined(files: readonly PlanFile[]): string {
  return files.map(({ text }) => text).join(separator);
}

const separator = "\n---\n";

/** The line of the joined text. */
export function lineOf({ file, line }: PlanProblem, files: readonly PlanFile[]): number | undefined {
  if (file === undefined || line === undefined) return undefined;
  return line + joined([...files.slice(0, file), { name: "", text: "" }]).split("\n").length - 1;
}

/** Selects a line, and scrolls to it. */
export function goToLine(line: number): void {
  const area = document.getElementById(id);
  if (!(area instanceof HTMLTextAreaElement)) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
}
