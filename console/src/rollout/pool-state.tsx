import { Label } from "@patternfly/react-core";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InProgressIcon from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import MinusCircleIcon from "@patternfly/react-icons/dist/esm/icons/minus-circle-icon";
import PauseCircleIcon from "@patternfly/react-icons/dist/esm/icons/pause-circle-icon";
import type { ReactElement } from "react";
import type { PoolState } from "../../../src/domain/rollout/view/pool-view.ts";

type Look = {
  readonly text: string;
  readonly icon: ReactElement;
  readonly status?: "success" | "warning" | "danger" | "info";
};

const looks: Readonly<Record<PoolState, Look>> = {
  "no config": { text: "Nothing to roll out", icon: <MinusCircleIcon /> },
  updated: { text: "Updated", icon: <CheckCircleIcon className="attune-quiet-success" /> },
  updating: { text: "Updating", icon: <InProgressIcon />, status: "info" },
  waiting: { text: "Waiting", icon: <ExclamationTriangleIcon />, status: "warning" },
  stopped: { text: "Stopped", icon: <ExclamationCircleIcon />, status: "danger" },
  paused: { text: "Paused", icon: <PauseCircleIcon />, status: "warning" },
};

/** Healthy is quiet: colour marks what needs a person. */
export function PoolStateLabel({ state }: { readonly state: PoolState }) {
  const { text, icon, status } = looks[state];
  if (status === undefined)
    return (
      <span className="attune-state">
        {icon} {text}
      </span>
    );
  return (
    <Label isCompact variant="outline" status={status} icon={icon}>
      {text}
    </Label>
  );
}
