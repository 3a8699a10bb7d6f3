import { createLog, type Log } from "../../../cluster/runtime/log/log.ts";
import type { ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";

type LogOf = (run: Pick<ProgramRun, "args" | "node" | "write">) => Promise<Log>;

/**
 * The log of a program in a container of a virtual node: `kubectl logs` shows the lines that the program writes on a real one.
 * The lab's own log has them too. All containers share one logger, since there may be thousands.
 */
export function containerLogs(lab: Log): LogOf {
  let write = (_line: string): void => {};
  const destination = { write: (line: string): void => write(line.trimEnd()) };
  let shared: Promise<Log> | undefined;
  return async (run) => {
    const [command = ""] = run.args;
    shared ??= createLog({ destination, pretty: false });
    const log = (await shared).child({ name: command });
    const own = toContainer(log, () => (write = run.write));
    return both(own, lab.child({ part: command, node: run.node }));
  };
}

/** Sets where a line goes before it is written: pino writes it at once. */
function toContainer(log: Log, select: () => void): Log {
  const selected = (level: "debug" | "info" | "warn" | "error"): Log["info"] => {
    return (fields, message) => {
      select();
      log[level](fields, message);
    };
  };
  return {
    debug: selected("debug"),
    info: selected("info"),
    warn: selected("warn"),
    error: selected("error"),
    child: (fields) => toContainer(log.child(fields), select),
  };
}

function both(first: Log, second: Log): Log {
  const each = (level: "debug" | "info" | "warn" | "error"): Log["info"] => {
    return (fields, message) => {
      first[level](fields, message);
      second[level](fields, message);
    };
  };
  return {
    debug: each("debug"),
    info: each("info"),
    warn: each("warn"),
    error: each("error"),
    child: (fields) => both(first.child(fields), second.child(fields)),
  };
}
