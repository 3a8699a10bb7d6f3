import type { ErrorAnswer, SessionAnswer, SessionKey } from "../../protocol/answers.ts";

const storage = "attune-session";

/** What the page knows of the session when it starts. */
export type Start =
  | { readonly type: "signed in" }
  | { readonly type: "signed out"; readonly signIn: SessionAnswer["signIn"]; readonly problem?: string | undefined };

/** The key of this tab. Other tabs have their own; it is gone when the tab is closed. */
export function sessionKey(): string | undefined {
  return sessionStorage.getItem(storage) ?? undefined;
}

export function setSessionKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(storage);
  else sessionStorage.setItem(storage, key);
}

/** Exchanges the token in the address for a key, and removes it from the address and the history. */
export async function startSession(): Promise<Start> {
  const [, token] = /^#(?:t=)?([\w-]{43})$/.exec(location.hash) ?? [];
  if (token !== undefined) {
    history.replaceState(history.state, "", location.pathname + location.search);
    const response = await post("/api/session", { token });
    if (!response.ok) return { type: "signed out", signIn: "link", problem: await problemOf(response) };
    setSessionKey(((await response.json()) as SessionKey).key);
  }
  return checkSession();
}

export async function checkSession(): Promise<Start> {
  const response = await fetch("/api/session", { headers: authorization() });
  if (!response.ok) return { type: "signed out", signIn: "link", problem: await problemOf(response) };
  const { signIn, user } = (await response.json()) as SessionAnswer;
  if (user !== undefined) return { type: "signed in" };
  const had = sessionKey() !== undefined;
  setSessionKey(undefined);
  const ended = signIn === "link" ? "this session has ended" : "the cluster does not accept this token";
  return { type: "signed out", signIn, problem: had ? ended : undefined };
}

export async function endSession(): Promise<void> {
  await fetch("/api/session", { method: "DELETE", headers: authorization() });
  setSessionKey(undefined);
}

export function authorization(): Record<string, string> {
  const key = sessionKey();
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

/** A request that is never sent twice. */
export function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(path, {
    method: "POST",
    headers: { ...authorization(), "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/** What the server said is wrong. */
export async function problemOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as ErrorAnswer;
    if (typeof error === "string") return error;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `the server answered ${response.status}${text === "" ? "" : `: ${text.slice(0, 200)}`}`;
}
