import { Agent, request as httpsRequest } from "node:https";
import { fill, type Probe, type Reply, type Step } from "./probe.ts";

/** A server, and credentials of an admin. */
export interface Target {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

const timeoutMs = 10_000;
const retry = { tries: 100, pauseMs: 100 };

/** Every response of one server to a probe, in order. */
export async function runProbe(target: Target, { steps }: Probe): Promise<Reply[]> {
  const agent = new Agent({ keepAlive: true, ca: target.caPem });
  const answers = new Map<string, unknown>();
  const replies: Reply[] = [];
  try {
    for (const step of steps) {
      const reply = await settled(target, agent, step, answers);
      replies.push(reply);
      if (step.as !== undefined) answers.set(step.as, parsed(reply.text));
    }
  } finally {
    agent.destroy();
  }
  return replies;
}

async function settled(target: Target, agent: Agent, step: Step, answers: Map<string, unknown>): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await ask(target, agent, step, answers);
    if (step.until === undefined || reply.text.includes(step.until) || attempt >= retry.tries) return reply;
    await new Promise((resolve) => setTimeout(resolve, retry.pauseMs));
  }
}

function ask(target: Target, agent: Agent, step: Step, answers: Map<string, unknown>): Promise<Reply> {
  const [method = "GET", path = "/"] = fill(step.send, answers).split(/ (.*)/s);
  const body =
    step.body === undefined
      ? undefined
      : fill(typeof step.body === "string" ? step.body : JSON.stringify(step.body), answers);
  const type = step.type ?? (body === undefined ? undefined : "application/json");
  const headers = {
    accept: step.accept ?? "application/json",
    "user-agent": "probe/1",
    authorization: `Bearer ${target.token}`,
    ...(type === undefined ? {} : { "content-type": type }),
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value, answers)])),
  };
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(`${target.url}${path}`, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => {
        const shown = ["content-type", "warning", "retry-after", "allow"].flatMap((name) => {
          const value = response.headers[name];
          return value === undefined ? [] : [[name, String(value)]];
        });
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(shown) as Reply["headers"], text });
      });
    });
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
