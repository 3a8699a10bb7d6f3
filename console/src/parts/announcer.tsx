import { useEffect, useRef, useState } from "react";

const quietMs = 5000;

/** Tells those who hear the page what changed, at most once in five seconds. The first text is no change. */
export function Announcer({ text }: { readonly text: string }) {
  const [said, setSaid] = useState("");
  const last = useRef({ text, at: 0 });
  useEffect(() => {
    if (last.current.text === text) return;
    const timer = setTimeout(
      () => {
        last.current = { text, at: Date.now() };
        setSaid(text);
      },
      Math.max(0, last.current.at + quietMs - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div aria-live="polite" className="pf-v6-screen-reader">
      {said}
    </div>
  );
}
