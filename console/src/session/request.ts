import { post, problemOf } from "./session.ts";

export class RequestFailed extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "RequestFailed";
    this.code = code;
  }
}

/** They change the cluster. */
const changing = new Set(["apply", "pause"]);

/** `POST /api/NAME`: plan, apply, pause, read. Rejects with the words of the server. */
export async function request<Answer>(name: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const response = await post(`/api/${name}`, body, signal).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    // It is never sent twice: what became of it is not known.
    const doubt = changing.has(name) ? "; it may have been done all the same: look before you try again" : "";
    throw new RequestFailed(0, `the console cannot be reached${doubt}`);
  });
  if (!response.ok) throw new RequestFailed(response.status, await problemOf(response));
  return (await response.json()) as Answer;
}
