import { Alert, AlertActionLink, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { useRef } from "react";
import type { SettingExplanation } from "../../../src/domain/node-tuning/explain/settings.ts";
import { Empty } from "../parts/states.tsx";
import { momentText } from "../parts/moment.ts";
import { SearchField } from "../parts/search-field.tsx";
import { useQuery } from "../parts/use-query.ts";
import type { NodeData } from "./node-data.ts";
import { ProfileText } from "./profile-text.tsx";
import { needsLook, placeOf } from "./setting-words.ts";
import { SettingsTable } from "./settings-table.tsx";
import type { Reading } from "./use-read-now.ts";

interface SettingsTabProps {
  readonly data: NodeData;
  readonly reading: Reading;
  readonly now: number;
}

/** Each setting: wanted, actual, and the line that set it. */
export function SettingsTab({ data, reading, now }: SettingsTabProps) {
  const { query, setQuery } = useQuery();
  const opener = useRef<HTMLElement>(null);
  const { state } = reading;
  const settings: readonly SettingExplanation[] = state.type === "read" ? state.answer.settings : data.settings;
  const show = query.get("show") ?? "";
  const text = query.get("q") ?? "";
  const active = settings.filter((setting) => setting.state !== "idle");
  const wrong = settings.filter(needsLook);
  const chosen = show === "differ" ? wrong : show === "idle" ? settings : active;
  const shown = chosen.filter(({ unit, option }) => `${unit} ${option}`.toLowerCase().includes(text.toLowerCase()));
  const place = placeOf(query.get("line") ?? "");
  const close = (): void => {
    setQuery({ line: "" });
    opener.current?.focus();
  };
  const views = [
    { key: "", text: `All ${active.length}` },
    { key: "differ", text: `Differ ${wrong.length}` },
    ...(settings.length > active.length ? [{ key: "idle", text: `With idle ${settings.length}` }] : []),
  ];
  return (
    <>
      <ReadBanner reading={reading} now={now} />
      <div className="attune-node-filter">
        <SearchField label="Filter settings" value={text} onChange={(q) => setQuery({ q })} />
        <ToggleGroup aria-label="Which settings" isCompact>
          {views.map(({ key, text: title }) => (
            <ToggleGroupItem
              key={key}
              text={title}
              isSelected={show === key}
              onChange={() => setQuery({ show: key })}
            />
          ))}
        </ToggleGroup>
      </div>
      {shown.length > 0 ? (
        <SettingsTable
          settings={shown}
          chain={data.chain}
          texts={data.texts}
          applied={
            data.about?.reported?.conditions.find(({ type, status }) => type === "Applied" && status === "True")
              ?.lastTransitionTime
          }
          now={now}
          onOpen={(from, element) => {
            opener.current = element;
            setQuery({ line: from });
          }}
        />
      ) : (
        <Nothing hasSettings={settings.length > 0} isFiltered={text !== ""} />
      )}
      {place ? (
        <ProfileText
          place={place}
          data={data}
          onPlace={({ file, line }) => setQuery({ line: `${file}:${line}` })}
          onClose={close}
        />
      ) : undefined}
    </>
  );
}

function Nothing({ hasSettings, isFiltered }: { readonly hasSettings: boolean; readonly isFiltered: boolean }) {
  if (!hasSettings)
    return (
      <Empty title="No settings">
        The node gets no profile, or its profile sets nothing. Rules says which profile it gets.
      </Empty>
    );
  if (isFiltered) return <Empty title="No setting matches">No option has this text in its name.</Empty>;
  return <Empty title="Nothing differs">Every setting is as wanted, or does not apply to this node.</Empty>;
}

function ReadBanner({ reading: { state, forget, read }, now }: { readonly reading: Reading; readonly now: number }) {
  if (state.type === "failed")
    return (
      <Alert
        isInline
        component="p"
        variant="danger"
        title="Could not read the values of the node"
        actionLinks={<AlertActionLink onClick={read}>Retry</AlertActionLink>}
      >
        {state.message}
      </Alert>
    );
  if (state.type !== "read") return undefined;
  const at = new Date(state.answer.at);
  return (
    <Alert
      isInline
      component="p"
      variant="info"
      title={`Read ${momentText(state.answer.at, now)}:${String(at.getSeconds()).padStart(2, "0")} from the node itself`}
      actionLinks={<AlertActionLink onClick={forget}>Show what the agent reports</AlertActionLink>}
    />
  );
}
