/** One request, the same for both servers. `{{label.metadata.uid}}` stands for what this server answered earlier. */
export interface Step {
  readonly send: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Later steps refer to the answer by this. */
  readonly as?: string;
  /** Asked again until the answer has this text: what a server does on its own takes a moment. */
  readonly until?: string;
  /** Done for its effect. The answer is not compared, for the reason given. */
  readonly aside?: string;
}

/** Requests in order, in namespaces and on names of its own. */
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

/** Fills in what earlier answers said. */
export function fill(text: string, answers: ReadonlyMap<string, unknown>): string {
  return text.replace(reference, (_, label: string, path: string) => {
    let value = answers.get(label);
    for (const part of path.split(".").slice(1)) value = (value as Record<string, unknown> | undefined)?.[part];
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
