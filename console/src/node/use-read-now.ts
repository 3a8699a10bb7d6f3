import { useRef, useState } from "react";
import type { ReadAnswer } from "../../protocol/answers.ts";
import { request } from "../session/request.ts";
import { useConnection } from "../stream/use-topic.ts";

export type ReadState =
  | { readonly type: "reported" | "busy" }
  | { readonly type: "read"; readonly answer: ReadAnswer }
  | { readonly type: "failed"; readonly message: string };

export interface Reading {
  readonly state: ReadState;
  readonly read: () => void;
  /** Shows again what the agent reports. */
  readonly forget: () => void;
}

/** The values that a node has now, read when asked for. */
export function useReadNow(node: string): Reading {
  const { hello } = useConnection();
  const [state, setState] = useState<ReadState>({ type: "reported" });
  // The answer of a request that another one has overtaken is not shown.
  const last = useRef(0);
  const read = (): void => {
    const number = ++last.current;
    const show = (next: ReadState): void => {
      if (number === last.current) setState(next);
    };
    setState({ type: "busy" });
    request<ReadAnswer>("read", { node, cluster: hello?.cluster }).then(
      (answer) => show({ type: "read", answer }),
      (error: unknown) => show({ type: "failed", message: error instanceof Error ? error.message : String(error) }),
    );
  };
  const forget = (): void => {
    last.current++;
    setState({ type: "reported" });
  };
  return { state, read, forget };
}
