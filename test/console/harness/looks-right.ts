import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityFindings, sidewaysScroll } from "./accessible.ts";
import { atEverySize } from "./screenshots.ts";

/** At three widths nothing is wrong for axe-core, and nowhere, down to 320 pixels, is a page wider than its window. */
export async function looksRight(page: Page, name: string): Promise<void> {
  await atEverySize(page, name, async (page, look) => {
    expect(await accessibilityFindings(page), look).toEqual([]);
    expect(await sidewaysScroll(page), look).toBe(0);
  });
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  // PatternFly's header knows its new width a moment later.
  await expect.poll(() => sidewaysScroll(page), { message: `${name} at 320 pixels` }).toBe(0);
  if (before) await page.setViewportSize(before);
}
