import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Modal,
  ModalBody,
  ModalHeader,
} from "@patternfly/react-core";
import { views } from "./views.ts";

const keys = [
  ["/", "search nodes"],
  ...views.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, `go to ${title}`] as const])),
  ["↑ ↓ Enter", "move in a table, open a row"],
  ["x", "select a row"],
  ["c", "compare two selected nodes"],
  ["Esc", "close"],
  ["?", "this help"],
] as const;

export function KeyHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal isOpen={isOpen} onClose={onClose} variant="small" aria-labelledby="key-help">
      <ModalHeader title="Keys" labelId="key-help" />
      <ModalBody>
        <DescriptionList isHorizontal isCompact>
          {keys.map(([key, what]) => (
            <DescriptionListGroup key={key}>
              <DescriptionListTerm>
                <kbd>{key}</kbd>
              </DescriptionListTerm>
              <DescriptionListDescription>{what}</DescriptionListDescription>
            </DescriptionListGroup>
          ))}
        </DescriptionList>
      </ModalBody>
    </Modal>
  );
}
