import { expect, test } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { Patience } from "./timeout.ts";

const failing = (code: number, reason: string) => async () => {
  throw new ApiError({ code, reason, message: reason });
};

test("a server that is away is told of once, and what it missed is tried again", async () => {
  const lines: string[] = [];
  const note = (_: unknown, line: string): void => void lines.push(line);
  const patience = new Patience({ ...noLog, warn: note, info: note });
  for (let i = 0; i < 3; i++) expect(await patience.try(failing(0, "Unreachable"))).toEqual({ requeue: true });
  expect(await patience.try(async () => ({ requeueAfterMs: 7 }))).toEqual({ requeueAfterMs: 7 });
  expect(await patience.try(failing(409, "Conflict"))).toEqual({ requeue: true });
  expect(lines).toEqual(["the server is away, will try again", "the server is back"]);
});

test("a refusal is somebody's fault, and is told", async () => {
  await expect(new Patience(noLog).try(failing(403, "Forbidden"))).rejects.toMatchObject({ code: 403 });
});
