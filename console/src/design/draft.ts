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
  /** Whether it differs from what it began with. */
  readonly isChanged: boolean;
  /** Throws it away. */
  readonly startOver: () => void;
}

/** A profile that is worked on. It is kept in this tab until it is applied or thrown away. */
export function useDraft(key: string, start: PerformanceProfile): Draft {
  const [history, setHistory] = useState<History<PerformanceProfile>>(() => begun(stored(key) ?? start));
  const { present, past, future } = history;
  const text = JSON.stringify(present);
  const isChanged = text !== JSON.stringify(start);
  useEffect(() => {
    if (isChanged) sessionStorage.setItem(key, text);
    else forgetDraft(key);
  }, [key, text, isChanged]);
  return {
    draft: present,
    change: useCallback((next) => setHistory((last) => changed(last, next)), []),
    undo: useCallback(() => setHistory(undone), []),
    redo: useCallback(() => setHistory(redone), []),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    isChanged,
    startOver: useCallback(() => setHistory((last) => changed(last, start)), [start]),
  };
}

/** Under which a tab keeps the draft of a profile. Without a name: of a new one. */
export function draftKey(cluster: string, pool: string, name = ""): string {
  return ["attune-design", cluster, pool, name].join("/");
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(key);
}

function stored(key: string): PerformanceProfile | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as PerformanceProfile);
}
