/** The part of a clock that a supervisor needs. */
export interface Timer {
  /** Calls back once after `ms`; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}
