import { chromium, type Browser, type BrowserContext, type Page, type Request } from "playwright-core";
import { expect, inject, onTestFinished, test } from "vitest";

const endpoint = inject("browser");

/** A test that needs the browser. Where there is none it is skipped; the set-up prints why. */
export const browserTest = test.skipIf(endpoint === "");

/** Longer than any step takes, also on a busy machine: it only ends a test that waits in vain. */
const longestMs = 100_000;

export type Theme = "light" | "dark";

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
  /** Runs in the page before its own scripts. */
  readonly script?: string;
}

/** A page that a test looks at, in a profile of its own. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about so far. A test ends with none, except those that it expects. */
  readonly complaints: readonly string[];
  /** The test causes complaints like this one; it fails if there is none. */
  readonly expects: (complaint: RegExp) => void;
}

/**
 * Opens an address. When the test has finished, the page must have asked nothing of another origin, broken no rule of its
 * content security policy, and written no error to the browser's console.
 */
export async function openPage(address: string, options: PageOptions = {}): Promise<WatchedPage> {
  const { width = 1280, height = 900, theme = "light" } = options;
  const browser = await chromium.connect(endpoint);
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const complaints: string[] = [];
  const expected: RegExp[] = [];
  await listen(context, new URL(address).origin, (complaint) => complaints.push(complaint));
  onTestFinished(() => close(browser, () => check(complaints, expected)));
  if (options.script !== undefined) await context.addInitScript(options.script);
  const page = await context.newPage();
  page.setDefaultTimeout(longestMs);
  await page.goto(address);
  return { page, context, complaints, expects: (complaint) => void expected.push(complaint) };
}

async function listen(context: BrowserContext, origin: string, complain: (text: string) => void): Promise<void> {
  context.on("request", (request: Request) => {
    if (new URL(request.url()).origin !== origin) complain(`request to ${request.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complain(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => complain(`uncaught: ${error.error().stack ?? error.error().message}`));
  await context.addInitScript(`document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
    console.error("securitypolicyviolation: " + effectiveDirective + " " + blockedURI))`);
}

async function close(browser: Browser, check: () => void): Promise<void> {
  try {
    check();
  } finally {
    await browser.close();
  }
}

function check(complaints: readonly string[], expected: readonly RegExp[]): void {
  expect(complaints.filter((complaint) => !expected.some((one) => one.test(complaint)))).toEqual([]);
  for (const one of expected) expect(complaints).toContainEqual(expect.stringMatching(one));
}
