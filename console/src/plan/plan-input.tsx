import { Button } from "@patternfly/react-core";
import { type DragEvent, memo, useEffect, useRef, useState } from "react";
import type { PlanFile } from "../../protocol/answers.ts";
import { YamlText } from "./yaml-text.tsx";

interface PlanInputProps {
  /** What an example or files put into the field. */
  readonly given: { readonly text: string };
  /** Lines with a problem. */
  readonly wrong: ReadonlySet<number>;
  readonly onPlan: (files: readonly PlanFile[]) => void;
  readonly onFiles: (list: FileList) => void;
}

/** YAML that is typed, pasted or dropped. A key draws nothing but this. */
export const PlanInput = memo(function PlanInput({ given, wrong, onPlan, onFiles }: PlanInputProps) {
  const [text, setText] = useState(given.text);
  useEffect(() => setText(given.text), [given]);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    onFiles(event.dataTransfer.files);
  };
  return (
    <div onDragOver={(event) => event.preventDefault()} onDrop={onDrop} className="plan-input">
      <YamlText text={text} onChange={setText} wrong={wrong} />
      <div className="plan-actions">
        <Button onClick={() => onPlan([{ name: "typed", text }])} isDisabled={text.trim() === ""}>
          Plan
        </Button>
        <ChooseFiles onFiles={onFiles} />
      </div>
    </div>
  );
});

function ChooseFiles({ onFiles }: Pick<PlanInputProps, "onFiles">) {
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
