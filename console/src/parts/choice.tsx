import { MenuToggle, Select, SelectList, SelectOption } from "@patternfly/react-core";
import { useState } from "react";

export interface ChoiceProps<Value extends string> {
  /** For those who hear the page; shown before the value unless `shown` is given. */
  readonly label: string;
  readonly value: Value | "";
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly onChange: (value: Value) => void;
  /** Instead of the chosen option. */
  readonly shown?: string;
}

/** One of a few values. */
export function Choice<Value extends string>({ label, value, options, onChange, shown }: ChoiceProps<Value>) {
  const [isOpen, setOpen] = useState(false);
  const text = options.find((option) => option.value === value)?.text ?? "";
  return (
    <Select
      isOpen={isOpen}
      selected={value}
      onOpenChange={setOpen}
      onSelect={(_, chosen) => {
        setOpen(false);
        onChange(chosen as Value);
      }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          isExpanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${label}: ${shown ?? text}`}
        >
          {shown ?? text}
        </MenuToggle>
      )}
      popperProps={{ appendTo: "inline" }}
    >
      <SelectList aria-label={label}>
        {options.map((option) => (
          <SelectOption key={option.value} value={option.value}>
            {option.text}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
