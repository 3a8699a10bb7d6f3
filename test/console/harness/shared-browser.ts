import { spawnSync } from "node:child_process";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser listens that all files share. Empty: this machine has none. */
    browser: string;
  }
}

/** What else a browser does on its own would be requests that no page has made. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts one browser, with a new and empty profile, for all files that run in it. */
export default async function sharedBrowser(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.ATTUNE_CHROMIUM ?? onPath("chromium");
  if (executablePath === undefined) {
    console.warn("skipped: there is no chromium, and ATTUNE_CHROMIUM names none");
    project.provide("browser", "");
    return async () => {};
  }
  const server = await chromium.launchServer({ executablePath, headless: true, args: flags });
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}

function onPath(name: string): string | undefined {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
