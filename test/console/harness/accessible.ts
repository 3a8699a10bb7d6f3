import { source } from "axe-core";
import type { Page } from "playwright-core";

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly html: string }[];
}

/** What axe-core finds wrong with the page as it is now, one line each. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const findings = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  return findings.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${help}: ${target.join(" ")}: ${html.slice(0, 200)}`),
  );
}

/** By how many pixels the page is wider than its window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>(
    `Math.max(...[document.documentElement, ...document.querySelectorAll("main, .pf-v6-c-page__main-section")]
      .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`,
  );
}
