import type { Report } from "./report.ts";

export interface Setting {
  /** Fewer rounds and requests: for a look, not for a figure to keep. */
  readonly quick: boolean;
  readonly report: Report;
}

/** One thing that is measured. Throws `WrongError` when a server did not do what it was asked. */
export interface Section {
  readonly name: string;
  measure(setting: Setting): Promise<void>;
}
