import { Button } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { KeyboardEvent } from "react";
import type { SettingExplanation } from "../../../src/domain/node-tuning/explain/settings.ts";
import { momentText } from "../parts/moment.ts";
import { Tint } from "../parts/tint.tsx";
import type { NodeData } from "./node-data.ts";
import { SettingLabel } from "./setting-label.tsx";
import { needsLook, placeOf, replacedText, sourceText, stateOf } from "./setting-words.ts";

export interface SettingsTableProps {
  readonly settings: readonly SettingExplanation[];
  readonly chain: NodeData["chain"];
  readonly texts: NodeData["texts"];
  /** Since when what is not listed otherwise is as wanted. */
  readonly applied: string | undefined;
  readonly now: number;
  readonly onOpen: (from: string, element: HTMLElement) => void;
}

/** In hundredths of the table. */
const columns = [
  ["Option", 25],
  ["Wanted", 15],
  ["Actual", 15],
  ["State", 15],
  ["Set by", 20],
  ["Since", 10],
] as const;

/** By unit, in the order in which the profiles have them: rows never move. */
export function SettingsTable({ settings, ...props }: SettingsTableProps) {
  const units = [...new Set(settings.map(({ unit }) => unit))];
  return (
    <Table
      aria-label="Settings"
      variant="compact"
      gridBreakPoint="grid-lg"
      className="attune-settings"
      onKeyDown={moveFocus}
    >
      <Thead>
        <Tr>
          {columns.map(([column, width]) => (
            <Th key={column} width={width}>
              {column}
            </Th>
          ))}
        </Tr>
      </Thead>
      {units.map((unit) => (
        <Tbody key={unit}>
          <Tr className="attune-unit">
            <Th scope="rowgroup" colSpan={columns.length}>
              [{unit}]
            </Th>
          </Tr>
          {settings
            .filter((setting) => setting.unit === unit)
            .map((setting) => (
              <SettingRow key={setting.option} setting={setting} {...props} />
            ))}
        </Tbody>
      ))}
    </Table>
  );
}

type SettingRowProps = Omit<SettingsTableProps, "settings"> & { readonly setting: SettingExplanation };

function SettingRow({ setting, chain, texts, applied, now, onOpen }: SettingRowProps) {
  const { option, wanted, actual, from, note, since } = setting;
  const state = stateOf(setting);
  const when = momentText(since ?? (state === "as wanted" ? applied : undefined), now);
  const source = sourceText(from, chain);
  const hasText = texts.has(placeOf(from)?.file ?? "");
  const replaced = replacedText(setting, chain);
  return (
    <Tr className={needsLook(setting) ? "attune-setting-differs" : ""}>
      <Td dataLabel="Option" className="attune-mono">
        {option}
      </Td>
      <Td dataLabel="Wanted" className="attune-mono">
        {wanted}
      </Td>
      <Td dataLabel="Actual" className="attune-mono">
        <Tint text={actual ?? "-"} />
      </Td>
      <Td dataLabel="State">
        <div>
          <SettingLabel state={state} />
          {note === undefined ? undefined : <p className="attune-note">{note}</p>}
        </div>
      </Td>
      <Td dataLabel="Set by">
        <div>
          {hasText ? (
            <Button variant="link" isInline onClick={({ currentTarget }) => onOpen(from, currentTarget)}>
              {source}
            </Button>
          ) : (
            source
          )}
          {replaced.map((text) => (
            <p key={text} className="attune-note">
              {text}
            </p>
          ))}
        </div>
      </Td>
      <Td dataLabel="Since" className="attune-since">
        {when || "-"}
      </Td>
    </Tr>
  );
}

/** Arrows go from row to row, as in other tables. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("tbody button")];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}
