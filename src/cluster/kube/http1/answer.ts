/** The head of an answer, and its body for who wants it. */
export interface Answer {
  readonly status: number;
  /** Several of one name are joined by commas. */
  header(name: string): string | undefined;
  /** The whole body, as soon as it is there. */
  text(): Promise<string>;
}

/** A request that was sent, or waits to be. */
export interface Sent<A extends Answer = Answer> {
  /** Comes with the answer's head. */
  readonly answer: Promise<A>;
  /** Whether it went over a connection that had served another before. */
  readonly reused: boolean;
}
