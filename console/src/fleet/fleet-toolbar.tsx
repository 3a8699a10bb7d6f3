import { Button, ToggleGroup, ToggleGroupItem, Toolbar, ToolbarContent, ToolbarItem } from "@patternfly/react-core";
import { fleetStates } from "../../../src/domain/fleet/fleet-row.ts";
import { count, groupings } from "../../../src/domain/fleet/fleet-summary.ts";
import { Choice } from "../parts/choice.tsx";
import { Choices } from "../parts/choices.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { type Column, columns, type Filter } from "./fleet-list.ts";

/** The name is always shown. */
export const optionalColumns = columns.filter((column) => column !== "name");

export interface FleetToolbarProps {
  readonly filter: Filter;
  readonly group: string;
  readonly shown: readonly Column[];
  readonly pools: readonly string[];
  readonly profiles: readonly string[];
  readonly matching: number;
  readonly needYou: number;
  readonly moved: number;
  readonly isNarrow: boolean;
  readonly onQuery: (values: Readonly<Record<string, string>>) => void;
  readonly onResort: () => void;
}

export function FleetToolbar(props: FleetToolbarProps) {
  const { filter, group, shown, pools, profiles, matching, needYou, moved, isNarrow, onQuery, onResort } = props;
  const named = (label: string, names: readonly string[]) => [
    { value: "", text: `${label}: all` },
    ...names.map((name) => ({ value: name, text: name })),
  ];
  const states = [...(needYou > 0 ? ["need you"] : []), ...fleetStates];
  return (
    <Toolbar inset={{ default: "insetNone" }}>
      <ToolbarContent>
        {isNarrow ? (
          <ToolbarItem>
            <ToggleGroup isCompact aria-label="Which nodes">
              <ToggleGroupItem text="All" isSelected={filter.state === ""} onChange={() => onQuery({ state: "" })} />
              <ToggleGroupItem
                text={`Need you ${count(needYou)}`}
                isSelected={filter.state === "need you"}
                onChange={() => onQuery({ state: "need you" })}
              />
            </ToggleGroup>
          </ToolbarItem>
        ) : undefined}
        <ToolbarItem className="attune-grow">
          <SearchField label="Filter by name or reason" value={filter.text} onChange={(q) => onQuery({ q })} />
        </ToolbarItem>
        <ToolbarItem>
          <Choice
            label="Pool"
            value={filter.pool}
            options={named("Pool", pools)}
            onChange={(pool) => onQuery({ pool })}
          />
        </ToolbarItem>
        <ToolbarItem>
          <Choice
            label="Profile"
            value={filter.profile}
            options={named("Profile", profiles)}
            onChange={(profile) => onQuery({ profile })}
          />
        </ToolbarItem>
        {isNarrow ? undefined : (
          <>
            <ToolbarItem>
              <Choice
                label="State"
                value={filter.state}
                options={named("State", states)}
                onChange={(state) => onQuery({ state })}
              />
            </ToolbarItem>
            <ToolbarItem>
              <Choice
                label="Group"
                value={group}
                options={[
                  { value: "", text: "No groups" },
                  ...groupings.map((one) => ({ value: one, text: `By ${one}` })),
                ]}
                onChange={(by) => onQuery({ group: by })}
              />
            </ToolbarItem>
            <ToolbarItem>
              <Choices
                label="Columns"
                values={shown}
                options={optionalColumns.map((column) => ({ value: column, text: column }))}
                onChange={(chosen) =>
                  onQuery({ columns: chosen.length === optionalColumns.length ? "" : chosen.join(",") || "name" })
                }
              />
            </ToolbarItem>
          </>
        )}
        <ToolbarItem className="attune-matching">{count(matching)}</ToolbarItem>
        {moved === 0 ? undefined : (
          <ToolbarItem>
            <Button variant="link" isInline onClick={onResort}>
              {count(moved)} {moved === 1 ? "row" : "rows"} moved: sort again
            </Button>
          </ToolbarItem>
        )}
      </ToolbarContent>
    </Toolbar>
  );
}
