import { useEffect, useState } from "react";
import { Loading } from "../parts/states.tsx";
import { checkSession, endSession, type Start, startSession } from "../session/session.ts";
import { SignIn } from "../session/sign-in.tsx";
import { Store } from "../stream/store.ts";
import { Stream } from "../stream/stream.ts";
import { StreamContext } from "../stream/use-topic.ts";
import { Shell } from "./shell.tsx";

/** One exchange of the token for a page, however often React mounts. */
let started: Promise<Start> | undefined;

/** Signs in, and then keeps one stream open for all views. */
export function App() {
  const [start, setStart] = useState<Start>();
  const check = (found: Promise<Start>): void => {
    found.then(setStart, (error: unknown) =>
      setStart({ type: "signed out", signIn: "link", problem: `the console cannot be reached: ${String(error)}` }),
    );
  };
  useEffect(() => check((started ??= startSession())), []);
  if (!start) return <Loading label="Signing in" />;
  if (start.type === "signed out") return <SignIn {...start} onKey={() => check(checkSession())} />;
  return <Connected onSignedOut={() => check(checkSession())} />;
}

function Connected({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const [value] = useState(() => {
    const store = new Store();
    return { store, stream: new Stream({ store, onSignedOut }) };
  });
  useEffect(() => {
    void value.stream.run();
    return () => value.stream.stop();
  }, [value]);
  const signOut = (): void => void endSession().finally(onSignedOut);
  return (
    <StreamContext value={value}>
      <Shell onSignOut={signOut} />
    </StreamContext>
  );
}
