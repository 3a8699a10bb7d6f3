import { join } from "node:path";
import type { Page } from "playwright-core";

/** Where pictures for people are written; none without it. */
const folder = process.env.ATTUNE_SCREENSHOTS;

const sizes = [
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 1600, height: 1000 },
] as const;
const themes = ["light", "dark"] as const;

/** Shows the page at three widths in both themes, and calls `check` with each. */
export async function atEverySize(
  page: Page,
  name: string,
  check: (page: Page, look: string) => Promise<void>,
): Promise<void> {
  const before = page.viewportSize();
  for (const size of sizes)
    for (const theme of themes) {
      const look = `${name}-${size.width}-${theme}`;
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await check(page, look);
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${look}.png`), animations: "disabled" });
    }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
