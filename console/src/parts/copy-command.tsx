import { ClipboardCopy } from "@patternfly/react-core";

/** The line of `attune` or `kubectl` that gives the same answer. */
export function CopyCommand({ command }: { readonly command: string }) {
  return (
    <ClipboardCopy isReadOnly isCode hoverTip="Copy" clickTip="Copied" textAriaLabel="Command" variant="inline-compact">
      {command}
    </ClipboardCopy>
  );
}
