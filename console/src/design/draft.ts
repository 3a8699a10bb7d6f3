import { useCallback, useEffect, useState } from "react";
import type { FieldFinding } from "../../../src/domain/finding.ts";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { begun, changed, type History, redone, undone } from "./history.ts";

/** What every group of fields gets. */
export interface DraftProps {
  readonly draft: PerformanceProfile;
  readonly onChange: (draft: PerformanceProfile) => void;
  readonly findings: readonly FieldFinding[];
  /** What ends a finding; undefined: there is no one answer. */
  readonly onFix: (finding: FieldFinding) => (() => void) | undefined;
}

export interface Draft {
  readonly draft: PerformanceProfile;
  readonly change: (next: PerformanceProfile) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Nothing is kept for the next visit. */
  readonly forget: () => void;
}

/** A profile that is worked on. It is kept in this tab until it is applied or thrown away. */
export function useDraft(name: string, start: PerformanceProfile): Draft {
  const key = `attune-design/${name}`;
  const [history, setHistory] = useState<History<PerformanceProfile>>(() => begun(stored(key) ?? start));
  const { present, past, future } = history;
  useEffect(() => {
    if (past.length > 0) sessionStorage.setItem(key, JSON.stringify(present));
  }, [key, present, past]);
  return {
    draft: present,
    change: useCallback((next) => setHistory((last) => changed(last, next)), []),
    undo: useCallback(() => setHistory(undone), []),
    redo: useCallback(() => setHistory(redone), []),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    forget: useCallback(() => {
      sessionStorage.removeItem(key);
      setHistory(begun(start));
    }, [key, start]),
  };
}

function stored(key: string): PerformanceProfile | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as PerformanceProfile);
}
