import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useLocation } from "wouter";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import type { RowOf } from "../../protocol/topics.ts";

export interface PoolChoice {
  /** A NodePool: `namespace/name`. */
  readonly name: string;
  readonly nodes: number;
  /** Its profile. */
  readonly divided: string | undefined;
  /** Of a NodePool, which is where the profile is found. */
  readonly profile: PerformanceProfile | undefined;
}

/** What a link asks for. A NodePool may be named without its namespace. */
export interface Address {
  readonly profile: string | undefined;
  readonly pool: string | null;
}

type Rows = ReadonlyMap<string, RowOf<"designs">>;

export function choicesIn(rows: Rows): readonly PoolChoice[] {
  return [...rows].flatMap(([key, { nodes = 0, divided, profile }]): PoolChoice[] =>
    key.startsWith("pool/") ? [{ name: key.slice(5), nodes, divided, profile }] : [],
  );
}

export function isNodePool(pool: string): boolean {
  return pool.includes("/");
}

/** Without the namespace. */
export function nameOf(pool: string): string {
  return pool.slice(pool.indexOf("/") + 1);
}

/** A pool has one profile: who asks for no pool gets one that lacks it, where there is one. */
export function choiceOf(
  { profile, pool }: Address,
  pools: readonly PoolChoice[],
): { pool: string; wanted?: string | undefined } {
  const workers = pools.filter(({ nodes, name }) => nodes > 0 && name !== "master");
  const named = pools.filter(({ name }) => name === pool || nameOf(name) === pool);
  const chosen =
    (profile === undefined ? named[0] : [...named, ...pools].find(({ divided }) => divided === profile)) ??
    workers.find(({ divided }) => divided === undefined) ??
    workers[0] ??
    pools[0];
  return { pool: chosen?.name ?? "all nodes", wanted: profile ?? chosen?.divided };
}

interface ChooserProps {
  readonly pool: string;
  readonly edited: PerformanceProfile | undefined;
  readonly pools: readonly PoolChoice[];
  readonly profiles: readonly PerformanceProfile[];
}

const addressOfPool = (pool: string): string => `/design?pool=${encodeURIComponent(pool)}`;
const addressOfProfile = (name: string): string => `/design/${encodeURIComponent(name)}`;

export function Chooser({ pool, edited, pools, profiles }: ChooserProps) {
  const [, navigate] = useLocation();
  const counted = (nodes: number): string => `${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  const edits = [
    ...profiles.map(({ metadata: { name = "" } }) => ({ to: addressOfProfile(name), text: `Edit ${name}` })),
    ...pools
      .filter(({ profile }) => profile)
      .map(({ name, divided }) => ({ to: addressOfPool(name), text: `Edit ${divided} of ${nameOf(name)}` })),
  ];
  const shown = isNodePool(pool) ? addressOfPool(pool) : addressOfProfile(edited?.metadata.name ?? "");
  return (
    <>
      <FormGroup label={isNodePool(pool) ? "NodePool" : "Pool"} fieldId="design-pool">
        <FormSelect id="design-pool" value={pool} onChange={(_, value) => navigate(addressOfPool(value))}>
          {pools.length === 0 ? <FormSelectOption value={pool} label={pool} /> : null}
          {pools.map(({ name, nodes }) => (
            <FormSelectOption key={name} value={name} label={`${name}, ${counted(nodes)}`} />
          ))}
        </FormSelect>
      </FormGroup>
      <FormGroup label="Profile" fieldId="design-profile">
        <FormSelect
          id="design-profile"
          value={edited ? shown : ""}
          onChange={(_, value) => navigate(value === "" ? "/design" : value)}
        >
          <FormSelectOption
            value=""
            label="A new one"
            isDisabled={pools.length > 0 && pools.every(({ divided }) => divided !== undefined)}
          />
          {edits.map(({ to, text }) => (
            <FormSelectOption key={to} value={to} label={text} />
          ))}
        </FormSelect>
      </FormGroup>
    </>
  );
}
