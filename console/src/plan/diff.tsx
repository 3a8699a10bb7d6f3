import "./diff.css";

interface DiffProps {
  /** A unified diff. */
  readonly text: string;
  readonly label: string;
}

const classes: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "place" };

/** What changes, line by line: signs say it, colours repeat it. */
export function Diff({ text, label }: DiffProps) {
  return (
    // It may scroll, and so it can be reached by the keyboard.
    <div className="plan-diff" role="group" aria-label={`Changes of ${label}`} tabIndex={0}>
      {text.split("\n").map((line, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no other name
        <div key={at} className={classes[line[0] ?? ""] ?? ""}>
          {line === "" ? " " : line}
        </div>
      ))}
    </div>
  );
}
