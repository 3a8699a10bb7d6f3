import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface Repeated {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
  readonly body: string;
  readonly times: number;
}

/** In a thread of its own, as another program would be: it sends while the server is still busy with the response before. */
const client = `
const { Agent, request } = require("node:https");
const { parentPort, workerData: { port, ca, path, body, times } } = require("node:worker_threads");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
const post = () => new Promise((resolve) => {
  request({ host: "127.0.0.1", port, ca, path, method: "POST", headers, agent }, (response) => {
    response.resume().on("end", () => resolve(response.statusCode));
  }).on("error", ({ code }) => resolve(code)).end(body);
});
(async () => {
  const outcomes = [];
  for (let i = 0; i < times; i++) outcomes.push(await post());
  agent.destroy();
  parentPort.postMessage(outcomes);
})();
`;

/** Posts a body again and again on one connection. Returns the status of each response, or the code of the error. */
export async function postOnOneConnection(workerData: Repeated): Promise<(number | string)[]> {
  const worker = new Worker(client, { eval: true, workerData });
  const [outcomes] = (await once(worker, "message")) as [(number | string)[]];
  await worker.terminate();
  return outcomes;
}
