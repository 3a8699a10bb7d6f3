import { Label } from "@patternfly/react-core";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import MinusIcon from "@patternfly/react-icons/dist/esm/icons/minus-icon";
import PowerOffIcon from "@patternfly/react-icons/dist/esm/icons/power-off-icon";
import UndoIcon from "@patternfly/react-icons/dist/esm/icons/undo-icon";
import UnknownIcon from "@patternfly/react-icons/dist/esm/icons/unknown-icon";
import type { ReactElement } from "react";
import { type SettingState, stateWords } from "./setting-words.ts";

type Look = { readonly icon: ReactElement; readonly status?: "warning" | "danger" | "info" };

const looks: Readonly<Record<SettingState, Look>> = {
  different: { icon: <ExclamationTriangleIcon />, status: "warning" },
  failed: { icon: <ExclamationCircleIcon />, status: "danger" },
  "set back": { icon: <UndoIcon />, status: "warning" },
  unknown: { icon: <UnknownIcon /> },
  unresolved: { icon: <UnknownIcon /> },
  "as wanted": { icon: <CheckCircleIcon className="attune-quiet-success" /> },
  boot: { icon: <PowerOffIcon /> },
  skipped: { icon: <MinusIcon /> },
  idle: { icon: <MinusIcon /> },
};

/** Healthy is quiet: colour marks what needs a person. */
export function SettingLabel({ state }: { readonly state: SettingState }) {
  const { icon, status } = looks[state];
  if (status === undefined)
    return (
      <span className="attune-state">
        {icon} {stateWords[state]}
      </span>
    );
  return (
    <Label isCompact variant="outline" status={status} icon={icon}>
      {stateWords[state]}
    </Label>
  );
}
