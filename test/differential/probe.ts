/** One request, the same for both servers. `{{label.metadata.uid}}` is replaced by a value of an earlier response. */
export interface Step {
  readonly send: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The label by which later steps refer to the response. */
  readonly as?: string;
  /** Sent again until the response contains this text: background work of a server takes a moment. */
  readonly until?: string;
  /** Why the response is not compared: the request is sent only for its effect. */
  readonly aside?: string;
}

/** Requests in order. Each probe has namespaces and names of its own. */
export interface Probe {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const reference = /\{\{([a-zA-Z0-9_]+)((?:\.[^.{}]+)*)\}\}/g;

/** Replaces references to earlier responses. */
export function fill(text: string, answers: ReadonlyMap<string, unknown>): string {
  return text.replace(reference, (_, label: string, path: string) => {
    let value = answers.get(label);
    for (const part of path.split(".").slice(1)) value = (value as Record<string, unknown> | undefined)?.[part];
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
