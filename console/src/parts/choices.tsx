import { MenuToggle, Select, SelectList, SelectOption } from "@patternfly/react-core";
import { useState } from "react";

export interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly onChange: (values: readonly Value[]) => void;
}

/** Some of a few values. */
export function Choices<Value extends string>({ label, values, options, onChange }: ChoicesProps<Value>) {
  const [isOpen, setOpen] = useState(false);
  const toggle = (value: Value): void =>
    onChange(
      options
        .map((option) => option.value)
        .filter((one) => (one === value ? !values.includes(one) : values.includes(one))),
    );
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_, chosen) => toggle(chosen as Value)}
      toggle={(ref) => (
        <MenuToggle ref={ref} isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {label}
        </MenuToggle>
      )}
      popperProps={{ appendTo: "inline" }}
    >
      <SelectList aria-label={label}>
        {options.map(({ value, text }) => (
          <SelectOption key={value} value={value} hasCheckbox isSelected={values.includes(value)}>
            {text}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
