import { post, problemOf } from "./session.ts";

export class RequestFailed extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "RequestFailed";
    this.code = code;
  }
}

/** `POST /api/NAME`: plan, apply, pause, read. Rejects with the words of the server. */
export async function request<Answer>(name: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const response = await post(`/api/${name}`, body, signal);
  if (!response.ok) throw new RequestFailed(response.status, await problemOf(response));
  return (await response.json()) as Answer;
}
