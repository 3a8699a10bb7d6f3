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
const looks = sizes.flatMap((size) => themes.map((theme) => ({ size, theme })));
/** Each width and each theme once. All together in the long form, and where they are to be looked at. */
const shown =
  process.env.ATTUNE_LONG === undefined && folder === undefined
    ? looks.filter(({ size, theme }) => theme === (size.width === 1024 ? "dark" : "light"))
    : looks;

/** Shows the page at three widths, in the long form each in both themes, and calls `check` with each. */
export async function atEverySize(
  page: Page,
  name: string,
  check: (page: Page, look: string) => Promise<void>,
): Promise<void> {
  const before = page.viewportSize();
  for (const { size, theme } of shown) {
    const look = `${name}-${size.width}-${theme}`;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await check(page, look);
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${look}.png`), animations: "disabled" });
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
