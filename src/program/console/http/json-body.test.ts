import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { readJson, sendError, sendJson } from "./json-body.ts";

const most = 10_000;

it("answers a body that is too large, and the next request of the same connection", async () => {
  const server = createServer((incoming, response) => {
    void readJson(incoming, most).then(
      (body) => (body ? sendJson(response, 200, body) : sendError(response, 400, { error: "too large" })),
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = async (size: number): Promise<{ code: number | undefined; localPort: number | undefined }> => {
    const asked = request({ agent, host: "127.0.0.1", port, method: "POST" });
    asked.end(JSON.stringify({ text: "x".repeat(size) }));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const { localPort } = response.socket;
    response.resume();
    await once(response, "end");
    return { code: response.statusCode, localPort };
  };
  const first = await send(most + 1);
  const second = await send(10);
  expect([first.code, second.code]).toEqual([400, 200]);
  expect(second.localPort).toBe(first.localPort);
});
