import { useEffect, useState } from "react";
import type { PlanAnswer, PlanFile, PlanRequest } from "../../protocol/answers.ts";
import { request } from "../session/request.ts";

export interface PlanState {
  readonly answer: PlanAnswer | undefined;
  /** Why there is none, in the words of the server. */
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  /** Where the files are applied, with what the user chose. */
  readonly target: PlanTarget;
  /** Plans again, with the fields of other managers. */
  readonly takeFields: () => void;
  readonly again: () => void;
  readonly replace: (answer: PlanAnswer) => void;
}

/** Where files are applied, and how. */
export type PlanTarget = Pick<PlanRequest, "cluster" | "takeOver">;

/** The server's plan of some files; a newer one replaces it. */
export function usePlan(files: readonly PlanFile[], { cluster, takeOver: isEdit }: PlanTarget): PlanState {
  const [state, setState] = useState<Pick<PlanState, "answer" | "problem" | "isLoading">>({
    answer: undefined,
    problem: undefined,
    isLoading: files.length > 0,
  });
  const [attempt, setAttempt] = useState(0);
  // The choice is about these files alone.
  const [taken, setTaken] = useState<readonly PlanFile[]>();
  const takeOver = isEdit === true || taken === files;
  useEffect(() => {
    if (files.length === 0) return setState({ answer: undefined, problem: undefined, isLoading: false });
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      setState({ answer: undefined, problem: undefined, isLoading: true });
      try {
        const body: PlanRequest = { cluster, takeOver, files };
        const answer = await request<PlanAnswer>("plan", body, abort.signal);
        if (!abort.signal.aborted) setState({ answer, problem: undefined, isLoading: false });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (!abort.signal.aborted) setState({ answer: undefined, problem, isLoading: false });
      }
    };
    void ask();
    return () => abort.abort();
  }, [files, cluster, takeOver, attempt]);
  return {
    ...state,
    target: { cluster, takeOver },
    takeFields: () => setTaken(files),
    again: () => setAttempt(attempt + 1),
    replace: (answer) => setState({ answer, problem: undefined, isLoading: false }),
  };
}
