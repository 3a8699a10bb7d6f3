import { expect, vi } from "vitest";
import { browserTest, openPage } from "./harness/browser-test.ts";
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
