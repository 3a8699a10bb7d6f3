import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { systemForAll } from "./harness/running-system.ts";

const system = systemForAll({ nodes: 1, example: false });

browserTest("The policy of the page admits no request to others and no markup or script from text", async () => {
  const { page, complaints, expects } = await openPage(system.address());
  await page.getByRole("grid", { name: "Nodes" }).waitFor();
  expect(complaints).toEqual([]);
  expects(/securitypolicyviolation: connect-src http:\/\/example.com/);
  expects(/securitypolicyviolation: require-trusted-types-for/);
  expects(/Content Security Policy|Trusted(HTML|Script)/);
  await page.evaluate(`fetch("http://example.com/").catch(() => {})`);
  await page.evaluate(`try { document.body.innerHTML = "<b>x</b>" } catch {}`);
  await page.evaluate(`(() => {
    const script = document.createElement("script");
    script.append("window.ran = true");
    document.body.append(script);
  })()`);
  await vi.waitFor(() => expect(complaints.filter((one) => one.includes("require-trusted-types-for"))).toHaveLength(2));
  expect(await page.evaluate("window.ran")).toBeUndefined();
});

browserTest("an address signs in once, and leaves no trace of its token", async () => {
  const address = system.address("/plan");
  const { page } = await openPage(address);
  await page.getByRole("heading", { name: "Nothing is planned yet" }).waitFor();
  expect(page.url()).toBe(`${system.console.url}/plan`);
  await page.reload();
  await page.getByRole("heading", { name: "Nothing is planned yet" }).waitFor();

  const second = await openPage(address);
  second.expects(/status of 401/);
  await second.page.getByText("this link was used before; attune console --url prints a new one").waitFor();
  expect(await second.page.getByRole("navigation").count()).toBe(0);
  await looksRight(second.page, "signed-out");
});

browserTest("a page of another origin reads and writes nothing, by fetch or by form", async () => {
  const attacker = createServer((_, response) =>
    response.setHeader("Content-Type", "text/html").end("<title>x</title>"),
  );
  attacker.listen(0, "127.0.0.1");
  await once(attacker, "listening");
  onTestFinished(() => void attacker.close());
  const { page, expects } = await openPage(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
  expects(/request to /);
  expects(/status of (403|404|415)|CORS|ERR_/);
  const codes: number[] = [];
  page.on("response", (response) => response.url().startsWith(system.console.url) && codes.push(response.status()));
  const { url } = system.console;
  const body = JSON.stringify({ kind: "MachineConfigPool", name: "worker", paused: true });
  // The answers are kept from the page, whatever they are.
  const outcomes = await page.evaluate<string[]>(`Promise.allSettled([
    fetch("${url}/api/stream?topics=fleet", { mode: "no-cors" }),
    fetch("${url}/api/pause", { method: "POST", mode: "no-cors", body: ${JSON.stringify(body)} }),
    fetch("${url}/api/pause", { method: "POST", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(body)} }),
  ]).then((all) => all.map(({ status }) => status))`);
  expect(outcomes).toEqual(["rejected", "rejected", "rejected"]);
  await page.evaluate(`(() => {
    const form = Object.assign(document.createElement("form"), { method: "POST", action: "${url}/api/pause", enctype: "text/plain" });
    document.body.append(form);
    form.submit();
  })()`);
  await page.waitForURL(`${url}/api/pause`);
  expect(codes).toContain(403);
  expect(codes.filter((code) => code < 400)).toEqual([]);
  expect((await system.admin.get(machineConfigPoolKind, "worker")).spec?.paused).not.toBe(true);
});

test("a name that resolves to this machine is not the console", async () => {
  const { port } = new URL(system.console.url);
  const code = async (host: string): Promise<number | undefined> => {
    const asked = request({ host: "127.0.0.1", port, path: "/", headers: { Host: host } }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await Promise.all([`localhost:${port}`, `rebound.example:${port}`, "127.0.0.1"].map(code))).toEqual([
    200, 421, 421,
  ]);
});
