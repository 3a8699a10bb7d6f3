import { createContext, use, useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { HelloFrame, Source } from "../../protocol/frames.ts";
import type { AccessRow, ActionName, RowOf, TopicName } from "../../protocol/topics.ts";
import type { Connection, Store } from "./store.ts";
import type { Stream } from "./stream.ts";

export interface StreamContextValue {
  readonly store: Store;
  readonly stream: Stream;
}

export const StreamContext = createContext<StreamContextValue | undefined>(undefined);

export function useStream(): StreamContextValue {
  const value = use(StreamContext);
  if (!value) throw new Error("use a topic: there is no StreamContext above this component");
  return value;
}

export interface Topic<Row> {
  /** False until all rows have arrived once. */
  readonly isLoaded: boolean;
  readonly rows: ReadonlyMap<string, Row>;
  /** By kind, or another name that the topic gives its source: how the server answers for it. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Keys that changed with the last frame; undefined: all. */
  readonly changed: ReadonlySet<string> | undefined;
}

/** The rows of a topic, for as long as the component is shown, and again with every change. */
export function useTopic<Name extends TopicName>(name: Name): Topic<RowOf<Name>> {
  const { store, stream } = useStream();
  useEffect(() => stream.watch(name), [stream, name]);
  const subscribe = useCallback((listener: () => void) => store.subscribe(name, listener), [store, name]);
  const state = useSyncExternalStore(subscribe, () => store.topic(name));
  return state as unknown as Topic<RowOf<Name>>;
}

export function useConnection(): { readonly connection: Connection; readonly hello: HelloFrame | undefined } {
  const { store } = useStream();
  const subscribe = useCallback((listener: () => void) => store.subscribe("connection", listener), [store]);
  const connection = useSyncExternalStore(subscribe, () => store.connection);
  const hello = useSyncExternalStore(subscribe, () => store.hello);
  return useMemo(() => ({ connection, hello }), [connection, hello]);
}

/** Whether the user may do something; undefined: not known yet. */
export function useAccess(action: ActionName | undefined): AccessRow | undefined {
  const { rows } = useTopic("access");
  return action && rows.get(action);
}
