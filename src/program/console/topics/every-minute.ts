import { pause } from "../../../cluster/runtime/clock.ts";
import type { TopicContext } from "./topic-context.ts";

/** Calls now and each minute, until the topic closes. */
export function everyMinute(context: TopicContext<never>, call: () => Promise<void>): void {
  const { signal, clock } = context;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await call();
      await pause(clock, 60_000, signal);
    }
  };
  void run();
}
