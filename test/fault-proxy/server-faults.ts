import { setTimeout as delay } from "node:timers/promises";
import type { Fault, FaultProxy } from "./fault-proxy.ts";

/** A server, and the proxy before it. */
export interface Struck {
  readonly proxy: FaultProxy;
  restartServer(): Promise<void>;
}

export interface ServerFault {
  readonly what: string;
  readonly strike: (struck: Struck) => Promise<void>;
}

/** What happens between a client and its server. */
export const serverFaults: readonly ServerFault[] = [
  { what: "nothing", strike: async () => {} },
  { what: "requests are answered with 409", strike: async ({ proxy }) => proxy.plan("other", ...answers(409, 3)) },
  { what: "requests are answered with 500", strike: async ({ proxy }) => proxy.plan("other", ...answers(500, 5)) },
  {
    what: "requests are answered with 429, to come back in a second",
    strike: async ({ proxy }) => proxy.plan("other", ...answers(429, 2, { "retry-after": "1" })),
  },
  { what: "connections are reset", strike: async ({ proxy }) => proxy.reset() },
  {
    what: "watches are cut in the middle of an event, and then refused",
    strike: async ({ proxy }) => {
      proxy.plan("watch", { kind: "cut", afterBytes: 100, by: "reset" }, { kind: "cut", afterBytes: 100, by: "end" });
      proxy.plan("watch", ...answers(500, 2));
      proxy.reset();
    },
  },
  {
    what: "the server reports watches as too old",
    strike: async ({ proxy }) => proxy.say({ type: "ERROR", object: statusOf(410, "Expired") }),
  },
  {
    what: "answers are held back for half a second",
    strike: async ({ proxy }) => {
      proxy.stall();
      await delay(500);
      proxy.goOn();
    },
  },
  {
    what: "the server is out of reach for a second",
    strike: async ({ proxy }) => {
      await proxy.refuse();
      await delay(1000);
      await proxy.listen();
    },
  },
  { what: "the server is restarted", strike: (stage) => stage.restartServer() },
];

function answers(status: number, count: number, headers: Record<string, string> = {}): Fault[] {
  const body = JSON.stringify(statusOf(status, reasons[status] ?? "Unknown"));
  return Array.from({ length: count }, () => ({ kind: "answer", status, headers, body }));
}

const reasons: Record<number, string> = { 409: "Conflict", 429: "TooManyRequests", 500: "InternalError" };

function statusOf(code: number, reason: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason };
}
