import { useEffect, useRef } from "react";

/** A value that is tinted for a moment when it changes. */
export function Tint({ text, className }: { readonly text: string; readonly className?: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const shown = useRef(text);
  useEffect(() => {
    if (shown.current === text) return;
    shown.current = text;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!calm)
      element.current?.animate(
        [{ backgroundColor: "var(--pf-t--global--color--nonstatus--yellow--default)" }, {}],
        600,
      );
  }, [text]);
  return (
    <span ref={element} {...(className === undefined ? {} : { className })}>
      {text}
    </span>
  );
}
