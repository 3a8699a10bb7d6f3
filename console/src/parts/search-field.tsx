import { TextInput } from "@patternfly/react-core";
import { useEffect, useRef, useState } from "react";

export interface SearchFieldProps {
  readonly label: string;
  /** By which the view filters. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Browsers ignore changes of the address beyond 200 in ten seconds. */
const restMs = 100;

/**
 * A text to filter by. A key draws the field alone, and the view follows at most ten times a second: lists of PatternFly set state
 * whenever what they are in is drawn, and React gives up after fifty such updates in a row.
 */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  /** What the view was told last, and when. */
  const told = useRef({ text: value, at: -restMs });
  useEffect(() => {
    if (value === told.current.text) return;
    told.current = { ...told.current, text: value };
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === told.current.text) return;
    const tell = (): void => {
      told.current = { text, at: performance.now() };
      onChange(text);
    };
    const wait = told.current.at + restMs - performance.now();
    if (wait <= 0) return tell();
    const timer = setTimeout(tell, wait);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(_, next) => setText(next)}
    />
  );
}
