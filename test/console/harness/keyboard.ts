import type { Locator, Page } from "playwright-core";

/** More than any page has stops. */
const mostStops = 200;

/** Presses Tab until an element has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await target.waitFor();
  const hasFocus = (): Promise<boolean> => target.evaluate((element) => element.matches(":focus"));
  for (let stops = 0; stops < mostStops; stops++) {
    if (await hasFocus()) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${target.toString()} is not reached with ${key}`);
}

/** Presses keys one after the other: `press(page, "g", "p")`. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
