import { Button } from "@patternfly/react-core";
import CheckIcon from "@patternfly/react-icons/dist/esm/icons/check-icon";
import CopyIcon from "@patternfly/react-icons/dist/esm/icons/copy-icon";
import { useEffect, useState } from "react";

const shownMs = 2000;

/** The line of `attune` or `kubectl` that gives the same answer. */
export function CopyCommand({ command }: { readonly command: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <span className="attune-command">
      <code>{command}</code>
      <Button
        variant="plain"
        size="sm"
        hasNoPadding
        aria-label="Copy command"
        title="Copy"
        icon={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}
      />
      <span className="pf-v6-screen-reader" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </span>
  );
}
