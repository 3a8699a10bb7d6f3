import { Alert, FormGroup, TextInput } from "@patternfly/react-core";
import type { TypedHardware } from "./hardware.ts";

const amounts = [
  { name: "sockets", label: "Sockets", max: 16 },
  { name: "cores", label: "Cores a socket", max: 256 },
  { name: "threads", label: "Threads a core", max: 8 },
] as const;

interface HardwareFormProps {
  readonly typed: TypedHardware;
  readonly onChange: (typed: TypedHardware) => void;
}

/** Where no agent has reported what nodes are made of. */
export function HardwareForm({ typed, onChange }: HardwareFormProps) {
  return (
    <>
      <Alert component="p" isInline isPlain variant="warning" title="Hardware is unknown">
        No agent reported it, or another operator&apos;s Profile CRD drops the field. Type what the nodes have; the map
        draws it as assumed.
      </Alert>
      <div className="design-row">
        {amounts.map(({ name, label, max }) => (
          <FormGroup key={name} label={label} fieldId={`design-${name}`}>
            <TextInput
              id={`design-${name}`}
              type="number"
              min={1}
              max={max}
              value={typed[name]}
              onChange={(_, value) => onChange({ ...typed, [name]: Math.min(max, Math.max(1, Number(value) || 1)) })}
            />
          </FormGroup>
        ))}
      </div>
    </>
  );
}
