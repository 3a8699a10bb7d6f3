import {
  Button,
  DrawerActions,
  DrawerCloseButton,
  DrawerContentBody,
  DrawerHead,
  DrawerPanelContent,
  Title,
} from "@patternfly/react-core";
import { useEffect, useRef } from "react";
import type { NodeData } from "./node-data.ts";
import { type Place, sourceText } from "./setting-words.ts";

interface ProfilePanelProps {
  /** Undefined: closed. */
  readonly place: Place | undefined;
  readonly data: NodeData;
  readonly onPlace: (place: Place) => void;
  readonly onClose: () => void;
}

/** The text of a profile with one line marked, below the profiles that it is merged with. */
export function ProfilePanel({ place, data, onPlace, onClose }: ProfilePanelProps) {
  const title = useRef<HTMLHeadingElement>(null);
  const marked = useRef<HTMLLIElement>(null);
  const at = place && `${place.file}:${place.line}`;
  useEffect(() => {
    if (at === undefined) return;
    marked.current?.scrollIntoView({ block: "center" });
    title.current?.focus();
  }, [at]);
  useEffect(() => {
    if (at === undefined) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") onClose();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  if (!place || at === undefined) return <DrawerPanelContent aria-label="Profile" />;
  const { chain, texts } = data;
  const text = texts.get(place.file);
  return (
    <DrawerPanelContent defaultSize="480px" minSize="280px" aria-label="Profile" className="attune-profile-panel">
      <DrawerHead>
        <Title headingLevel="h2" size="lg" ref={title} tabIndex={-1}>
          {sourceText(at, chain)}
        </Title>
        <DrawerActions>
          <DrawerCloseButton onClick={onClose} aria-label="Close the profile" />
        </DrawerActions>
      </DrawerHead>
      <DrawerContentBody>
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
        <p className="attune-note">{place.file}</p>
      </DrawerContentBody>
    </DrawerPanelContent>
  );
}
