import { expect, test } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { OutageRetry } from "./outage-retry.ts";

const failing = (code: number, reason: string) => async () => {
  throw new ApiError({ code, reason, message: reason });
};

test("an outage is logged once, and the work is requeued", async () => {
  const lines: string[] = [];
  const note = (_: unknown, line: string): void => void lines.push(line);
  const outageRetry = new OutageRetry({ ...noLog, warn: note, info: note });
  for (let i = 0; i < 3; i++) expect(await outageRetry.run(failing(0, "Unreachable"))).toEqual({ requeue: true });
  expect(await outageRetry.run(async () => ({ requeueAfterMs: 7 }))).toEqual({ requeueAfterMs: 7 });
  expect(await outageRetry.run(failing(409, "Conflict"))).toEqual({ requeue: true });
  expect(lines).toEqual(["API server is unreachable, will retry", "API server is reachable again"]);
});

test("an error of the API server that is no outage is thrown", async () => {
  await expect(new OutageRetry(noLog).run(failing(403, "Forbidden"))).rejects.toMatchObject({ code: 403 });
});
