import { Label } from "@patternfly/react-core";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InProgressIcon from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import PendingIcon from "@patternfly/react-icons/dist/esm/icons/pending-icon";
import PowerOffIcon from "@patternfly/react-icons/dist/esm/icons/power-off-icon";
import UnknownIcon from "@patternfly/react-icons/dist/esm/icons/unknown-icon";
import type { ReactElement } from "react";
import type { FleetState } from "../../../src/domain/fleet/fleet-row.ts";

type Look = { readonly icon: ReactElement; readonly status?: "success" | "warning" | "danger" | "info" };

const looks: Readonly<Record<FleetState, Look>> = {
  "As wanted": { icon: <CheckCircleIcon className="attune-quiet-success" /> },
  Applying: { icon: <InProgressIcon />, status: "info" },
  "Waiting for config": { icon: <PendingIcon />, status: "info" },
  "Waiting for reboot": { icon: <PowerOffIcon />, status: "info" },
  Drifted: { icon: <ExclamationTriangleIcon />, status: "warning" },
  Degraded: { icon: <ExclamationCircleIcon />, status: "danger" },
  Unknown: { icon: <UnknownIcon /> },
};

/** Healthy is quiet: colour marks what needs a person. */
export function StateLabel({ state }: { readonly state: FleetState }) {
  const { icon, status } = looks[state];
  if (status === undefined)
    return (
      <span className="attune-state">
        {icon} {state}
      </span>
    );
  return (
    <Label isCompact variant="outline" status={status} icon={icon}>
      {state}
    </Label>
  );
}
