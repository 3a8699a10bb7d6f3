import {
  Content,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  DrawerActions,
  DrawerCloseButton,
  DrawerContentBody,
  DrawerHead,
  DrawerPanelContent,
  Title,
} from "@patternfly/react-core";
import { Link } from "wouter";
import { CopyCommand } from "../parts/copy-command.tsx";
import { ageText } from "../parts/since.ts";
import type { Row } from "./fleet-list.ts";
import { StateLabel } from "./state-label.tsx";

export interface NodePreviewProps {
  readonly name: string;
  readonly row: Row | undefined;
  readonly now: number;
  readonly onClose: () => void;
}

/** One node beside the table: why it is as it is. */
export function NodePreview({ name, row, now, onClose }: NodePreviewProps) {
  return (
    <DrawerPanelContent defaultSize="360px" aria-label={`Node ${name}`}>
      <DrawerHead>
        <Title headingLevel="h2" size="lg">
          <Link href={`/nodes/${encodeURIComponent(name)}`}>{name}</Link>
        </Title>
        <DrawerActions>
          <DrawerCloseButton onClick={onClose} />
        </DrawerActions>
      </DrawerHead>
      <DrawerContentBody>
        {row ? <Facts row={row} now={now} /> : <Content component="p">This node is gone.</Content>}
        <CopyCommand command={`attune explain node ${name}`} />
      </DrawerContentBody>
    </DrawerPanelContent>
  );
}

function Facts({ row, now }: { readonly row: Row; readonly now: number }) {
  const facts = [
    ["Why", row.because],
    ["Pool", row.pool],
    ["Wanted profile", row.profile],
    ["In force", row.inForce === row.profile ? "" : row.inForce],
    ["Drifted settings", row.drift === 0 ? "" : String(row.drift)],
    ["Restart", row.reboot ? "something takes effect only when it restarts" : ""],
    ["Since", row.since === undefined ? "" : `${ageText(row.since, now)} ago`],
  ] as const;
  return (
    <>
      <StateLabel state={row.state} />
      <DescriptionList isCompact className="attune-facts">
        {facts.map(([term, text]) =>
          text === "" ? undefined : (
            <DescriptionListGroup key={term}>
              <DescriptionListTerm>{term}</DescriptionListTerm>
              <DescriptionListDescription>{text}</DescriptionListDescription>
            </DescriptionListGroup>
          ),
        )}
      </DescriptionList>
    </>
  );
}
