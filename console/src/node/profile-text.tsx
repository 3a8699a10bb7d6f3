import { Button, Modal, ModalBody, ModalHeader } from "@patternfly/react-core";
import { useEffect, useRef } from "react";
import type { NodeData } from "./node-data.ts";
import { type Place, sourceText } from "./setting-words.ts";

interface ProfileTextProps {
  readonly place: Place;
  readonly data: NodeData;
  readonly onPlace: (place: Place) => void;
  readonly onClose: () => void;
}

/** The text of a profile with one line marked, below the profiles that it is merged with. */
export function ProfileText({ place, data, onPlace, onClose }: ProfileTextProps) {
  const marked = useRef<HTMLLIElement>(null);
  const { chain, texts } = data;
  const text = texts.get(place.file);
  const at = `${place.file}:${place.line}`;
  useEffect(() => marked.current?.scrollIntoView({ block: "center" }), [at]);
  return (
    <Modal isOpen variant="medium" onClose={onClose} aria-labelledby="profile-text">
      <ModalHeader title={sourceText(at, chain)} labelId="profile-text" description={place.file} />
      <ModalBody>
        <ol className="attune-chain" aria-label="Profiles, each overriding those before it">
          {chain.map(({ profile, file, tuneds, include }, index) => (
            // A profile may include one of its own name.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <Button
                variant="link"
                isInline
                isDisabled={!texts.has(file)}
                aria-current={file === place.file ? "true" : undefined}
                onClick={() => onPlace({ file, line: include?.line ?? 1 })}
              >
                {profile}
              </Button>
              <span className="attune-note">{tuneds.length > 0 ? ` Tuned ${tuneds.join(", ")}` : ""}</span>
            </li>
          ))}
        </ol>
        {text === undefined ? (
          <p>This text is not known here.</p>
        ) : (
          // It may scroll sideways, and so it can be reached by the keyboard.
          <ol className="attune-profile-text" aria-label={`Text of ${place.file}`} tabIndex={0}>
            {text
              .replace(/\n$/, "")
              .split("\n")
              .map((line, index) => (
                <li
                  // oxlint-disable-next-line react/no-array-index-key -- lines have no other name
                  key={index}
                  {...(index + 1 === place.line ? { ref: marked, "aria-current": "true" } : {})}
                >
                  {line === "" ? " " : line}
                </li>
              ))}
          </ol>
        )}
      </ModalBody>
    </Modal>
  );
}
