import { useEffect } from "react";
import { useLocation } from "wouter";
import { addressOf } from "./navigation.tsx";
import { views } from "./views.ts";

/** How long after `g` a letter still goes to a view. */
const chordMs = 1500;

/** `/` search, `g` and a letter go to a view, `?` help. Not while a person types. */
export function useGoKeys({ onHelp }: { readonly onHelp: () => void }): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("#search")?.focus();
      } else if (event.key === "?") onHelp();
      else if (event.key === "g") {
        goUntil = event.timeStamp + chordMs;
        return;
      } else if (event.timeStamp < goUntil) {
        const view = views.find(({ key }) => key === event.key);
        if (view) navigate(addressOf(view.path));
      }
      goUntil = 0;
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, onHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
