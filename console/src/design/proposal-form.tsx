import { Alert, Button, Checkbox, FormGroup, NumberInput } from "@patternfly/react-core";
import { useState } from "react";
import type { Choices } from "../../../src/domain/performance-profile/creator/choices.ts";

export type CpuChoices = Pick<Choices, "reserved" | "offlined" | "splitAcrossNuma" | "disableSmt">;

export const usualChoices: CpuChoices = { reserved: 4, offlined: 0, splitAcrossNuma: false, disableSmt: false };

interface ProposalProps {
  readonly onPropose: (choices: CpuChoices) => void;
  readonly remarks: readonly string[];
  readonly refused: boolean;
}

/** Whole cores, divided by a few questions. */
export function ProposalForm({ onPropose, remarks, refused }: ProposalProps) {
  const [choices, setChoices] = useState(usualChoices);
  const amount = (name: "reserved" | "offlined", label: string) => (
    <FormGroup label={label} fieldId={`design-${name}`}>
      <NumberInput
        inputName={`design-${name}`}
        inputProps={{ id: `design-${name}` }}
        inputAriaLabel={label}
        minusBtnAriaLabel={`${label}: less`}
        plusBtnAriaLabel={`${label}: more`}
        widthChars={3}
        min={0}
        value={choices[name]}
        onMinus={() => setChoices({ ...choices, [name]: Math.max(0, choices[name] - 1) })}
        onPlus={() => setChoices({ ...choices, [name]: choices[name] + 1 })}
        onChange={({ currentTarget }) => setChoices({ ...choices, [name]: Number(currentTarget.value) })}
      />
    </FormGroup>
  );
  return (
    <>
      <div className="design-row">
        {amount("reserved", "CPUs for the system")}
        {amount("offlined", "CPUs to switch off")}
      </div>
      <div className="design-checks">
        <Checkbox
          id="design-split"
          label="From all NUMA nodes equally"
          isChecked={choices.splitAcrossNuma}
          onChange={(_, splitAcrossNuma) => setChoices({ ...choices, splitAcrossNuma })}
        />
        <Checkbox
          id="design-nosmt"
          label="One thread a core (nosmt)"
          isChecked={choices.disableSmt}
          onChange={(_, disableSmt) => setChoices({ ...choices, disableSmt })}
        />
      </div>
      <Button variant="secondary" onClick={() => onPropose(choices)}>
        Propose CPUs
      </Button>
      {remarks.length > 0 ? (
        <Alert
          component="p"
          isInline
          isPlain
          variant={refused ? "danger" : "info"}
          title={refused ? "There is no such division" : "To know about this proposal"}
        >
          {remarks.join(". ")}
        </Alert>
      ) : null}
    </>
  );
}
