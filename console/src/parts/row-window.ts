import { type RefObject, useEffect, useState } from "react";

export interface RowWindow {
  /** The first row to draw. */
  readonly first: number;
  /** After the last one. */
  readonly end: number;
}

/** Drawn above and below what is seen, so that a fast scroll shows rows and not gaps. */
const spare = 5;

/** Which of many rows of the same height are in sight of the element that scrolls. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, rows: number, height: number): RowWindow {
  const [view, setView] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      // By whole rows: most scroll events change nothing.
      const top = Math.floor(element.scrollTop / height);
      const seen = Math.ceil(element.clientHeight / height) + 1;
      setView((now) => (now.top === top && now.height === seen ? now : { top, height: seen }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [scroller, height]);
  const first = Math.max(0, Math.min(view.top, rows - view.height) - spare);
  return { first, end: Math.min(rows, first + view.height + 2 * spare) };
}
