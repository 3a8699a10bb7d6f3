import type { Rule } from "./topics.ts";

/**
 * `GET /api/stream?cluster=…&topics=fleet,node/worker-17&after=EPOCH&held=fleet@SEQ` answers with frames, one JSON text a line,
 * for as long as the page reads. `held`: topics of which the page has the rows, each as of the `seq` of its last frame or beat; it
 * gets what changed since, if the server still knows, and otherwise all rows.
 */
export type Frame = HelloFrame | SnapFrame | DeltaFrame | SourceFrame | BeatFrame;

/** The first frame of a stream. */
export interface HelloFrame {
  readonly type: "hello";
  /** Names the stream in `PUT /api/stream/ID/topics`. */
  readonly id: string;
  /** Sequence numbers of another epoch mean nothing. */
  readonly epoch: string;
  readonly user: string;
  readonly cluster: string;
  readonly clusters: readonly string[];
  readonly version: string;
}

/** All rows of a topic. */
export interface SnapFrame {
  readonly type: "snap";
  readonly topic: string;
  readonly seq: number;
  readonly rows: PackedRows;
}

/** The rows that changed, whole, and the keys of those that are gone. */
export interface DeltaFrame {
  readonly type: "delta";
  readonly topic: string;
  readonly seq: number;
  readonly rows: PackedRows;
  readonly gone: readonly string[];
}

/** How the server fares with one kind that a topic is made of. One kind that fails never ends the stream. */
export interface SourceFrame {
  readonly type: "source";
  readonly topic: string;
  readonly kind: string;
  readonly source: Source;
}

export type Source =
  | { readonly state: "loading" | "ready" }
  /** The server answered 403. */
  | { readonly state: "denied"; readonly rule: Rule }
  /** The cluster has no such kind. */
  | { readonly state: "absent" }
  | { readonly state: "failed"; readonly message: string };

/** Each ten seconds: the server is there, and the page has all up to `seq`. */
export interface BeatFrame {
  readonly type: "beat";
  readonly seq: number;
}

/**
 * Rows by column, so that thousands of them are small and quick to read. Rows of a topic may have different fields: what a row
 * lacks is `null` in its column.
 */
export interface PackedRows {
  readonly keys: readonly string[];
  readonly columns: Readonly<Record<string, PackedColumn>>;
}

/** A list of values, or where few differ, those and which of them each row has. */
export type PackedColumn = readonly unknown[] | { readonly of: readonly unknown[]; readonly at: readonly number[] };
